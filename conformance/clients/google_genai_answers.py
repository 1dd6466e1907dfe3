"""Does with google-genai what people do with it, and prints what came back as one JSON object.

Runs in an environment that has google-genai and nothing of groundwire. EMULATOR_URL is the server. With
GROUNDWIRE_SOURCE the client is groundwire's `code_assist_client()`, signed in by the variables of Gemini CLI.
"""

import asyncio
import importlib.metadata
import json
import os
import sys

from google import genai
from google.genai import errors, types

MODEL = "gemini-2.5-flash"
CALLING = "gemini-3-pro-preview"  # wants the signatures of its thoughts back
GREETING = "Grüße, 世界 👋"
ONE_BYTE_AT_A_TIME = f"[[scenario:split-multibyte]] {GREETING}"
QUESTION = "What is the weather in Beijing?"


def get_weather(city: str) -> dict:
    """Tell the weather of a city.

    Args:
        city: The name of the city.
    """
    CALLED_WITH.append(city)
    return {"result": f"sunny in {city}"}


CALLED_WITH: list = []

DECLARATION = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="get_weather",
            description="Tell the weather of a city.",
            parameters=types.Schema(
                type="OBJECT", properties={"city": types.Schema(type="STRING")}, required=["city"]
            ),
        )
    ]
)
SEARCH = types.Tool(google_search=types.GoogleSearch())
BY_HAND = types.AutomaticFunctionCallingConfig(disable=True)


def supports_of(response: object) -> list:
    """Every cited span: its byte offsets, the text it names, and the addresses behind it."""
    metadata = response.candidates[0].grounding_metadata
    chunks = metadata.grounding_chunks
    return [
        {
            "start": support.segment.start_index or 0,
            "end": support.segment.end_index,
            "text": support.segment.text,
            "urls": [chunks[number].web.uri for number in support.grounding_chunk_indices],
        }
        for support in metadata.grounding_supports
    ]


def refused(client: genai.Client, **request: object) -> dict:
    """The error a request ends with, as this SDK raises it."""
    try:
        client.models.generate_content(**request)
    except errors.APIError as error:
        return {"type": type(error).__name__, "code": error.code, "message": error.message}
    return {}


def function_round(client: genai.Client, streamed: bool) -> dict:
    """Call, run the function by hand, answer, and read the last text."""
    config = types.GenerateContentConfig(tools=[DECLARATION], automatic_function_calling=BY_HAND)
    question = types.Content(role="user", parts=[types.Part(text=QUESTION)])
    ask = asked_in_a_stream if streamed else asked_at_once
    call, content, _ = ask(client, [question], config)
    result = types.Part.from_function_response(name=call.name, response={"result": "dry and cold"})
    contents = [question, content, types.Content(role="user", parts=[result])]
    _, _, answer = ask(client, contents, config)
    return {"name": call.name, "args": call.args, "answer": answer}


def asked_at_once(client: genai.Client, contents: list, config: object) -> tuple:
    """The first function call, the content, and the text of a whole answer."""
    response = client.models.generate_content(model=CALLING, contents=contents, config=config)
    calls = response.function_calls or [None]
    return calls[0], response.candidates[0].content, response.text


def asked_in_a_stream(client: genai.Client, contents: list, config: object) -> tuple:
    """The same, put together from a stream."""
    events = list(client.models.generate_content_stream(model=CALLING, contents=contents, config=config))
    calls = [call for event in events for call in event.function_calls or []] or [None]
    parts = [part for event in events for part in event.candidates[0].content.parts]
    text = "".join(part.text for part in parts if part.text and not part.thought)
    return calls[0], types.Content(role="model", parts=parts), text


def streamed(client: genai.Client, prompt: str) -> list:
    """The texts of a stream."""
    return [event.text for event in client.models.generate_content_stream(model=MODEL, contents=prompt)]


async def in_async(client: genai.Client) -> dict:
    """The same with the asynchronous client."""
    unary = await client.aio.models.generate_content(model=MODEL, contents=GREETING)
    stream = await client.aio.models.generate_content_stream(model=MODEL, contents=GREETING)
    return {"unary": unary.text, "stream": [event.text async for event in stream]}


def with_a_key() -> genai.Client:
    """The client as Google's documentation makes it."""
    return genai.Client(
        api_key="conformance-key", http_options=types.HttpOptions(base_url=os.environ["EMULATOR_URL"])
    )


def signed_in() -> genai.Client:
    """The client that groundwire makes."""
    sys.path.insert(0, os.environ["GROUNDWIRE_SOURCE"])
    from groundwire.integrations.google_genai import code_assist_client

    return code_assist_client()


def listed(client: genai.Client) -> list | dict:
    """The names of the models, or the error that asking for them ends with."""
    try:
        return [model.name for model in client.models.list()]
    except errors.APIError as error:
        return {"type": type(error).__name__, "code": error.code, "message": error.message}


def main() -> dict:
    """Everything that was seen."""
    client = signed_in() if "GROUNDWIRE_SOURCE" in os.environ else with_a_key()
    searching = types.GenerateContentConfig(tools=[SEARCH])
    searched = client.models.generate_content(model=MODEL, contents=QUESTION, config=searching)
    both = types.GenerateContentConfig(tools=[SEARCH, DECLARATION], automatic_function_calling=BY_HAND)
    automatic = types.GenerateContentConfig(tools=[get_weather])
    thinking = types.GenerateContentConfig(thinking_config=types.ThinkingConfig(include_thoughts=True))
    thoughtful = client.models.generate_content(model=MODEL, contents=GREETING, config=thinking)
    chat = client.chats.create(model=MODEL)
    chat.send_message("first")
    return {
        "http": client._api_client._httpx_client.__class__.__mro__[1].__module__.partition(".")[0],
        "version": importlib.metadata.version("google-genai"),
        "unary": client.models.generate_content(model=MODEL, contents=GREETING).text,
        "stream": streamed(client, GREETING),
        "split": streamed(client, ONE_BYTE_AT_A_TIME),
        "tokens": client.models.count_tokens(model=MODEL, contents=GREETING).total_tokens,
        "models": listed(client),
        "search": {"text": searched.text, "supports": supports_of(searched)},
        "call": function_round(client, streamed=False),
        "streamed_call": function_round(client, streamed=True),
        "automatic": client.models.generate_content(model=MODEL, contents=QUESTION, config=automatic).text,
        "automatic_called": CALLED_WITH,
        "thoughts": [part.text for part in thoughtful.candidates[0].content.parts if part.thought],
        "thoughtful": thoughtful.text,
        "chat": chat.send_message("second").text,
        "refused_mix": refused(client, model=MODEL, contents=QUESTION, config=both),
        "refused_model": refused(client, model="no-such-model", contents=QUESTION),
        "async": asyncio.run(in_async(client)),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
