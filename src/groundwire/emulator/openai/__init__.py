"""OpenAI's wire and those who speak it: the Responses API, the Codex backend, its sign-in, OpenRouter.

phrasing, styles, answers, searching         an answer and its annotations, in every form that was recorded
request, client_tools, turn, items           the Responses API: read a request, write output items
stream, shape, scenarios                     tell items as events, in the plain order or a named other one
codex, codex_{request,search,account,models}  chatgpt.com/backend-api
oauth, signin, tokens                        auth.openai.com
openrouter, openrouter_{request,chat,account}openrouter.ai/api/v1
"""
