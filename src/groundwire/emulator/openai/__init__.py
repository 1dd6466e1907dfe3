"""OpenAI's wire and those who speak it: the Responses API, the Codex backend, its sign-in, OpenRouter.

phrasing, styles                  an answer and its annotations, in every form that was recorded
request, turn, items, stream      the Responses API: read a request, write items, tell them as events
codex, codex_request              chatgpt.com/backend-api
oauth, signin, tokens             auth.openai.com
openrouter, openrouter_*          openrouter.ai/api/v1
"""
