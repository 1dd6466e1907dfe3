"""A local Gemini endpoint for any SDK: it checks who asks, signs the request, and passes the answer on."""
