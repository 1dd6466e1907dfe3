"""The OpenHands SDK with our toolset, checked from inside: run where both are installed.

    python conformance/openhands_toolset.py --url http://127.0.0.1:PORT

Prints a line for each check (see `told.py`). The model is the emulator at the address, reached through the
real litellm; its script reads a file, replaces words in it, and says so.
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", OPENHANDS_SUPPRESS_BANNER="1", LOG_LEVEL="ERROR")

from openhands.sdk import LLM, Agent, Conversation, Tool
from openhands.sdk.event import ActionEvent, ObservationEvent, SystemPromptEvent
from pydantic import SecretStr

from groundwire.integrations.openhands import TOOLSET
from groundwire.tools.toolset import toolset

SEVEN = {
    "gemini/gemini-3-pro": "grep_search",
    "gemini/gemini-2.5-pro": "search_file_content",
}
"""A model, and what the search among its tools is called."""
TOOLS = ("replace", "read_file", "write_file", "list_directory", "glob", "{search}", "read_many_files")
OTHERS = ("gpt-4o", "anthropic/claude-sonnet-4-5", "openai/qwen3-coder")
BUILTIN = {"finish", "think"}
"""What OpenHands gives to every agent."""
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

Check = Callable[[], None]


def conversation(model: str, place: Path, **llm: Any) -> Any:
    """A conversation in `place`, set up, whose agent has nothing but our toolset."""
    agent = Agent(
        llm=LLM(model=model, api_key=SecretStr("test-key"), usage_id="agent", **llm),
        tools=[Tool(name=TOOLSET)],
    )
    made = Conversation(agent=agent, workspace=str(place), visualizer=None)
    made._ensure_agent_ready()
    return made


def tools_of(made: Any) -> dict[str, Any]:
    """The tools the model of a conversation is offered, without those every agent has."""
    return {name: tool for name, tool in made.agent.tools_map.items() if name not in BUILTIN}


def called(made: Any, name: str, **arguments: Any) -> Any:
    """What a call gives, made as the agent makes it: from the arguments in the model's message."""
    tool = made.agent.tools_map[name]
    return tool(tool.action_from_arguments(arguments), made)


def words(observation: Any) -> str:
    """The texts of an observation."""
    return "".join(part.text for part in observation.to_llm_content if part.type == "text")


# -- checks -----------------------------------------------------------------------------------------------


def gating(place: Path) -> Iterator[tuple[str, Check]]:
    """Who gets which tools."""
    for model, search in SEVEN.items():

        def exact(model: str = model, search: str = search) -> None:
            offered = tools_of(conversation(model, place))
            assert list(offered) == [name.format(search=search) for name in TOOLS], list(offered)
            declared = {
                one["function"]["name"]: one for one in toolset(place, model=model).declarations("openai")
            }
            for name, tool in offered.items():
                assert tool.to_openai_tool(add_security_risk_prediction=True) == declared[name], name
                assert tool.to_responses_tool()["parameters"] == declared[name]["function"]["parameters"], (
                    name
                )

        yield f"{model} gets the seven tools of its generation, declared word for word, and no editor.", exact

    def legacy() -> None:
        for model in OTHERS:
            offered = tools_of(conversation(model, place))
            assert list(offered) == ["file_editor"], (model, list(offered))

    yield "Any other model gets OpenHands' own editor and none of ours.", legacy

    def alias() -> None:
        hidden = conversation("litellm_proxy/house-model", place, model_canonical_name="gemini-3-pro")
        assert "replace" in tools_of(hidden)

    yield "A model behind an alias is known by its canonical name.", alias

    def same_rule() -> None:
        for model in (*SEVEN, *OTHERS, "gemini/gemma-3-27b-it", "vertex_ai/gemini-2.5-flash"):
            ours = {one["name"] for one in toolset(place, model=model).declarations()}
            theirs = set(tools_of(conversation(model, place)))
            assert theirs == (ours if "str_replace_editor" not in ours else {"file_editor"}), model

    yield "The rule is the one of toolset(model=...).", same_rule


def converting(place: Path) -> Iterator[tuple[str, Check]]:
    """What becomes of function calls."""
    (place / "notes.txt").write_text("one\ntwo\n", encoding="utf-8")
    (place / "pixel.png").write_bytes(PIXEL)
    current = conversation("gemini/gemini-3-pro", place)
    classic = conversation("gemini/gemini-2.5-pro", place)
    calls: dict[str, tuple[Any, dict[str, Any]]] = {
        "replace": (
            current,
            {"file_path": "notes.txt", "instruction": "x", "old_string": "two", "new_string": "2"},
        ),
        "read_file": (current, {"file_path": "notes.txt", "start_line": 1, "end_line": 1}),
        "write_file": (current, {"file_path": "new/file.txt", "content": "x\n"}),
        "list_directory": (current, {"dir_path": "."}),
        "glob": (current, {"pattern": "*.txt"}),
        "grep_search": (current, {"pattern": "one"}),
        "read_many_files": (current, {"include": ["*.txt"]}),
        "search_file_content": (classic, {"pattern": "one"}),
    }
    for name, (made, arguments) in calls.items():

        def one(name: str = name, made: Any = made, arguments: dict[str, Any] = arguments) -> None:
            tool = made.agent.tools_map[name]
            action = tool.action_from_arguments(arguments)
            assert action.data == arguments, action.data
            observation = called(made, name, **arguments)
            assert not observation.is_error, words(observation)

        yield f"A call of {name} becomes an action with the same arguments, and is carried out.", one

    def image() -> None:
        observation = called(current, "read_file", file_path="pixel.png")
        urls = [url for part in observation.to_llm_content if part.type == "image" for url in part.image_urls]
        assert urls == ["data:image/png;base64," + base64.b64encode(PIXEL).decode()], urls

    yield "An image is given to the model as an image.", image

    def outside() -> None:
        secret = place.parent / "secret.txt"
        secret.write_text("secret", encoding="utf-8")
        for name, arguments in (
            ("read_file", {"file_path": str(secret)}),
            ("read_file", {"file_path": "../secret.txt"}),
            ("write_file", {"file_path": str(secret), "content": "x"}),
            (
                "replace",
                {"file_path": str(secret), "instruction": "x", "old_string": "secret", "new_string": "x"},
            ),
        ):
            observation = called(current, name, **arguments)
            assert observation.is_error, (name, words(observation))
            assert "secret" not in words(observation).replace("secret.txt", ""), words(observation)
        assert secret.read_text(encoding="utf-8") == "secret"

    yield "Nothing outside the workspace is read or written.", outside

    def wrong() -> None:
        for name, arguments, told in (
            ("replace", {"file_path": "notes.txt", "old_string": "absent", "new_string": "x"}, "instruction"),
            ("replace", {"file_path": ["a"], "old_string": {}, "new_string": 5}, "params"),
            ("read_file", {"file_path": "notes.txt", "start_line": "first"}, "start_line must be"),
            ("read_file", {"data": 1, "kind": "x"}, "file_path"),
        ):
            observation = called(current, name, **arguments)
            assert observation.is_error, (arguments, words(observation))
            assert observation.error_type == "invalid_tool_params", (arguments, observation.error_type)
            assert told in words(observation), (arguments, words(observation))
            tool = current.agent.tools_map[name]
            assert tool.declared_resources(tool.action_from_arguments(arguments)).declared

    yield "Arguments that do not fit are told in our words, and nothing breaks.", wrong

    def ordered() -> None:
        tool = current.agent.tools_map["replace"]
        keys = {
            tool.declared_resources(tool.action_from_arguments({"file_path": path})).keys
            for path in ("notes.txt", str(place / "notes.txt"), "./new/../notes.txt")
        }
        assert keys == {(f"file:{(place / 'notes.txt').resolve()}",)}, keys
        reading = current.agent.tools_map["glob"]
        declared = reading.declared_resources(reading.action_from_arguments({"pattern": "*"}))
        assert (declared.keys, declared.declared) == ((), True)

    yield "Calls on one file share a resource, however they name the file; calls on many have none.", ordered

    def at_once() -> None:
        target = place / "counted.txt"
        target.write_text("".join(f"line {number}\n" for number in range(40)), encoding="utf-8")

        def edit(number: int) -> Any:
            return called(
                current, "replace", file_path="counted.txt", instruction="x",
                old_string=f"line {number}\n", new_string=f"LINE {number}\n",
            )  # fmt: skip

        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(edit, range(40)))
        assert not [words(observation) for observation in told if observation.is_error]
        assert target.read_text(encoding="utf-8").count("LINE") == 40

    yield "Of forty edits of one file at the same time none is lost.", at_once


def end_to_end(place: Path, url: str) -> Iterator[tuple[str, Check]]:
    """The emulator's script: read a file, replace in it, say so; then the conversation is resumed."""
    target = place / "greeting.py"
    stored = place.parent / "stored"
    state: dict[str, Any] = {}

    def agent(model: str) -> Agent:
        llm = LLM(
            model=model,
            api_key=SecretStr("test-key"),
            base_url=f"{url}/v1beta",
            usage_id="agent",
            num_retries=0,
        )
        return Agent(llm=llm, tools=[Tool(name=TOOLSET)], tool_concurrency_limit=4)

    def run() -> None:
        target.write_text('def greet():\n    return "hello"\n', encoding="utf-8")
        made = Conversation(
            agent=agent("gemini/gemini-3-pro"),
            workspace=str(place),
            persistence_dir=str(stored),
            visualizer=None,
        )
        state["id"] = made.id
        made.send_message("Please make greet-in-german.")
        made.run()
        state["events"] = list(made.state.events)
        made.close()
        names = [event.tool_name for event in state["events"] if isinstance(event, ActionEvent)]
        assert names == ["read_file", "replace", "replace"], names
        assert target.read_text(encoding="utf-8") == 'def gruss():\n    return "hallo"\n'

    yield "read_file, then replace on a file: the real SDK and litellm, the emulator as the model.", run

    def diff() -> None:
        seen = [event.observation for event in state["events"] if isinstance(event, ObservationEvent)]
        assert '-    return "hello"\n+    return "hallo"' in seen[1].diff, seen[1].diff
        assert "-def greet():\n+def gruss():" in seen[2].diff, seen[2].diff

    yield "Two edits of one file in one reply are both made, and each observation carries its diff.", diff

    def resumed() -> None:
        for model, expected in (("gemini/gemini-3-pro", "replace"), ("gpt-4o", "file_editor")):
            again = Conversation(
                agent=agent(model), workspace=str(place), persistence_dir=str(stored),
                conversation_id=state["id"], visualizer=None,
            )  # fmt: skip
            again._ensure_agent_ready()
            assert expected in again.agent.tools_map, list(again.agent.tools_map)
            assert len(again.state.events) >= len(state["events"])
            stored_calls = [event for event in again.state.events if isinstance(event, ActionEvent)]
            names = [(event.tool_name, type(event.action).__name__) for event in stored_calls]
            assert names[:2] == [("read_file", "GroundwireAction"), ("replace", "GroundwireAction")], names
            assert stored_calls[0].action.data == {"file_path": "greeting.py"}, stored_calls[0].action
            declared = [event for event in again.state.events if isinstance(event, SystemPromptEvent)]
            assert "replace" in [tool.name for tool in declared[0].tools], declared[0].tools
            again.close()

    yield "A stored conversation is resumed, and with another model it gets that model's tools.", resumed


def main() -> int:
    """Run every check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    url = parser.parse_args().url
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for part in (gating, converting, lambda place: end_to_end(place, url)):
            place = Path(tempfile.mkdtemp(dir=scratch)) / "work"
            place.mkdir()
            for sentence, check in part(place):
                try:
                    check()
                    print(f"ok    {sentence}", flush=True)
                except Exception as error:  # noqa: BLE001  (whatever goes wrong is what the check saw)
                    failed += 1
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    said = " ".join(f"{type(error).__name__}: {error} (line {where.lineno})".split())
                    print(f"FAIL  {sentence} -- {said[:500]}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
