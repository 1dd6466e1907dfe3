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
from pydantic import ConfigDict, Field, PrivateAttr

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

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow", frozen=True)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments as the model sent them."""
        return given_arguments(self.model_dump(exclude={"kind"}))


class GroundwireReplaceAction(GroundwireAction):
    """Replace text in a file."""

    file_path: str | None = None
    instruction: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    allow_multiple: bool | None = None
    expected_replacements: int | None = None


class GroundwireReadFileAction(GroundwireAction):
    """Read one file."""

    file_path: str | None = None
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    offset: int | None = None
    limit: int | None = None


class GroundwireWriteFileAction(GroundwireAction):
    """Write one file."""

    file_path: str | None = None
    content: str | None = None


class GroundwireListDirectoryAction(GroundwireAction):
    """List a directory."""

    dir_path: str | None = None
    path: str | None = None
    ignore: list[str] | None = None
    respect_git_ignore: bool | None = None
    file_filtering_options: dict[str, Any] | None = None


class GroundwireGlobAction(GroundwireAction):
    """Find files by pattern."""

    pattern: str | None = None
    dir_path: str | None = None
    path: str | None = None
    case_sensitive: bool | None = None
    respect_git_ignore: bool | None = None
    respect_gemini_ignore: bool | None = None


class GroundwireSearchAction(GroundwireAction):
    """Search in files."""

    pattern: str | None = None
    dir_path: str | None = None
    path: str | None = None
    include: str | None = None


class GroundwireReadManyFilesAction(GroundwireAction):
    """Read many files."""

    paths: list[str] | None = None
    include: list[str] | str | None = None
    exclude: list[str] | str | None = None
    recursive: bool | None = None


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
            result = self._tools.call_now(self._name, action.arguments)
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
    """One tool, declared word for word as the model knows it."""

    user_selectable: ClassVar[bool] = False
    action_class: ClassVar[type[GroundwireAction]]
    _function: dict[str, Any] = PrivateAttr(default_factory=dict)
    _root: str = PrivateAttr(default="")

    @classmethod
    def create(cls, *arguments: Any, **keywords: Any) -> Sequence[Self]:
        """The tools are made by the toolset, never by themselves."""
        raise NotImplementedError(f"Use Tool(name={TOOLSET!r}).")

    @classmethod
    def declared(cls, declaration: dict[str, Any], tools: Toolset, writing: threading.Lock) -> Self:
        """The tool of a declaration in Gemini's form."""
        reads = not tools.writes(cls.name)
        made = cls(
            description=declaration["description"],
            action_type=cls.action_class,
            observation_type=GroundwireObservation,
            annotations=ToolAnnotations(
                title=cls.name, readOnlyHint=reads, destructiveHint=not reads, openWorldHint=False
            ),
            executor=GroundwireExecutor(tools, cls.name, writing),
        )
        made._function = dict(declaration)
        made._root = str(tools.workspace.root)
        return made

    def declared_resources(self, action: Action) -> DeclaredResources:
        """The file a call touches, so that calls on one file are ordered; no resource for calls on many."""
        assert isinstance(action, GroundwireAction)
        key = resource(self.name, action.arguments, self._root)
        return DeclaredResources(keys=() if key is None else (key,), declared=True)

    def to_openai_tool(self, *_: Any, **__: Any) -> Any:
        """The declaration as it is: without the fields the SDK would add to it."""
        return {"type": "function", "function": self._function}

    def to_responses_tool(self, *_: Any, **__: Any) -> Any:
        """The same for the Responses API."""
        return {"type": "function", **self._function, "strict": False}


class GroundwireReplaceTool(GroundwireTool):
    """Gemini CLI's `replace`."""

    name: ClassVar[str] = "replace"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireReplaceAction


class GroundwireReadFileTool(GroundwireTool):
    """Gemini CLI's `read_file`."""

    name: ClassVar[str] = "read_file"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireReadFileAction


class GroundwireWriteFileTool(GroundwireTool):
    """Gemini CLI's `write_file`."""

    name: ClassVar[str] = "write_file"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireWriteFileAction


class GroundwireListDirectoryTool(GroundwireTool):
    """Gemini CLI's `list_directory`."""

    name: ClassVar[str] = "list_directory"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireListDirectoryAction


class GroundwireGlobTool(GroundwireTool):
    """Gemini CLI's `glob`."""

    name: ClassVar[str] = "glob"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireGlobAction


class GroundwireGrepSearchTool(GroundwireTool):
    """Gemini CLI's `grep_search`."""

    name: ClassVar[str] = "grep_search"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireSearchAction


class GroundwireSearchFileContentTool(GroundwireTool):
    """Gemini CLI's older `search_file_content`."""

    name: ClassVar[str] = "search_file_content"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireSearchAction


class GroundwireReadManyFilesTool(GroundwireTool):
    """Gemini CLI's `read_many_files`."""

    name: ClassVar[str] = "read_many_files"
    action_class: ClassVar[type[GroundwireAction]] = GroundwireReadManyFilesAction


_TOOLS = {
    tool.name: tool
    for tool in (
        GroundwireReplaceTool,
        GroundwireReadFileTool,
        GroundwireWriteFileTool,
        GroundwireListDirectoryTool,
        GroundwireGlobTool,
        GroundwireGrepSearchTool,
        GroundwireSearchFileContentTool,
        GroundwireReadManyFilesTool,
    )
}


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
        return [_TOOLS[one["name"]].declared(one, tools, writing) for one in tools.declarations()]


register_tool(TOOLSET, GroundwireFiles)
