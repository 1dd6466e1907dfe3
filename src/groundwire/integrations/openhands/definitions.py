"""The toolset and its tools as classes of the OpenHands SDK.

The class names are what the SDK writes into stored conversations, so they are ours alone and stay as they
are. One toolset is registered, and it decides when a conversation starts or resumes which tools there are:
the list of an agent's tools stays the same whatever its model. OpenHands' additions to schemas (`summary`,
`security_risk`) are left out: a model sees exactly the declarations it knows.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Self

from openhands.sdk import ImageContent, TextContent
from openhands.sdk.tool import (
    Action,
    DeclaredResources,
    Observation,
    ToolAnnotations,
    ToolDefinition,
    ToolExecutor,
    register_tool,
)
from openhands.tools.file_editor import FileEditorTool
from pydantic import Field

from groundwire.integrations.openhands.converting import Image, diff_of, given_arguments, pieces, resource
from groundwire.integrations.openhands.gating import dialect_for
from groundwire.tools.base import Dialect
from groundwire.tools.toolset import Toolset, toolset

if TYPE_CHECKING:
    from openhands.sdk.conversation import LocalConversation
    from openhands.sdk.conversation.state import ConversationState

TOOLSET = "groundwire_files"
"""The name to give to `Tool(name=...)`."""


class GroundwireAction(Action):
    """The arguments of a call, whatever they are: our own checks judge them, in words the model knows."""

    data: dict[str, Any] = Field(default_factory=dict, description="The arguments as the model sent them.")


class GroundwireObservation(Observation):
    """What a call gave."""

    error_type: str = Field(
        default="", description="Gemini CLI's type of the error; empty when there was none."
    )
    diff: str = Field(default="", description="What changed, as a unified diff.")


class GroundwireExecutor(ToolExecutor[GroundwireAction, GroundwireObservation]):
    """Calls one tool of a toolset; calls that write go one after the other, whoever makes them."""

    def __init__(self, tools: Toolset, name: str, writing: threading.Lock) -> None:
        self._tools = tools
        self._name = name
        self._turn = writing if tools.writes(name) else nullcontext()

    def __call__(
        self, action: GroundwireAction, conversation: LocalConversation | None = None
    ) -> GroundwireObservation:
        """Make the call. What goes wrong is in the observation."""
        with self._turn:
            result = self._tools.call_now(self._name, action.data)
        content = [
            ImageContent(image_urls=[piece.url]) if isinstance(piece, Image) else TextContent(text=piece.text)
            for piece in pieces(result)
        ]
        return GroundwireObservation(
            content=content,
            is_error=result.error is not None,
            error_type=result.error.type if result.error else "",
            diff=diff_of(result),
        )


class GroundwireTool(ToolDefinition[GroundwireAction, GroundwireObservation]):
    """One tool, declared word for word as the model knows it.

    As with the SDK's own tools of MCP servers, one class is every tool: its name is in its declaration.
    """

    user_selectable: ClassVar[bool] = False
    declaration: dict[str, Any] = Field(description="The declaration in Gemini's form.")
    root: str = Field(description="The folder that paths are relative to.")

    @property
    def name(self) -> str:
        """The name the model knows."""
        return str(self.declaration["name"])

    @classmethod
    def create(cls, *arguments: Any, **keywords: Any) -> Sequence[Self]:
        """The tools are made by the toolset, never by themselves."""
        raise NotImplementedError(f"Use Tool(name={TOOLSET!r}).")

    @classmethod
    def declared(cls, declaration: dict[str, Any], tools: Toolset, writing: threading.Lock) -> Self:
        """The tool of a declaration in Gemini's form."""
        name = declaration["name"]
        reads = not tools.writes(name)
        return cls(
            description=declaration["description"],
            action_type=GroundwireAction,
            observation_type=GroundwireObservation,
            annotations=ToolAnnotations(
                title=name, readOnlyHint=reads, destructiveHint=not reads, openWorldHint=False
            ),
            executor=GroundwireExecutor(tools, name, writing),
            declaration=declaration,
            root=str(tools.workspace.root),
        )

    def action_from_arguments(self, arguments: dict[str, Any]) -> GroundwireAction:
        """The call with its arguments as they are: what the model left out stays out."""
        return GroundwireAction(data=given_arguments(arguments))

    def declared_resources(self, action: Action) -> DeclaredResources:
        """The file a call touches, so that calls on one file are ordered; no resource for calls on many."""
        assert isinstance(action, GroundwireAction)
        key = resource(self.name, action.data, self.root)
        return DeclaredResources(keys=() if key is None else (key,), declared=True)

    def to_openai_tool(self, *_: Any, **__: Any) -> Any:
        """The declaration as it is: without the fields the SDK would add to it."""
        return {"type": "function", "function": self.declaration}

    def to_responses_tool(self, *_: Any, **__: Any) -> Any:
        """The same for the Responses API."""
        return {"type": "function", **self.declaration, "strict": False}


class GroundwireFiles(ToolDefinition[GroundwireAction, GroundwireObservation]):
    """The toolset: Gemini CLI's file tools for a Gemini model, OpenHands' own editor for any other."""

    name: ClassVar[str] = TOOLSET
    catalog_description: ClassVar[str] = "Read, search and edit files with the tools the model knows best."

    @classmethod
    def create(
        cls, conv_state: ConversationState, dialect: str | None = None
    ) -> Sequence[ToolDefinition[Any, Any]]:
        """The tools for the model of a conversation; `dialect` (classic, current or legacy) overrides it."""
        llm = conv_state.agent.llm
        chosen = Dialect(dialect) if dialect else dialect_for(llm.model, llm.model_canonical_name)
        if chosen is Dialect.LEGACY:
            editor: Sequence[ToolDefinition[Any, Any]] = FileEditorTool.create(conv_state)
            return editor
        tools = toolset(conv_state.workspace.working_dir, dialect=chosen)
        writing = threading.Lock()
        return [GroundwireTool.declared(one, tools, writing) for one in tools.declarations()]


register_tool(TOOLSET, GroundwireFiles)
