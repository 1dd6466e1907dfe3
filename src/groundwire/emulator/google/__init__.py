"""Google as it answers: the Gemini API, Vertex AI, Code Assist and Google sign-in."""
