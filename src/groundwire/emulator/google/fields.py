"""The fields of Gemini's request messages, for the Gemini API, Vertex AI and Code Assist.

From the public reference (https://ai.google.dev/api/generate-content, https://ai.google.dev/api/caching)
and from what the real clients send (google-genai, @google/genai, Gemini CLI). Parts that no rule of
ours looks into are ANY.
"""

from __future__ import annotations

from groundwire.emulator.google.proto_json import (
    ANY,
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    Enum,
    Kind,
    Mapped,
    Messages,
    Repeated,
)

SCHEMA_TYPE = Enum(
    "Type",
    frozenset({"TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}),
)
CALLING_MODE = Enum(
    "FunctionCallingConfig.Mode", frozenset({"MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"})
)

_REQUEST: dict[str, Kind] = {
    "contents": Repeated("Content"),
    "tools": Repeated("Tool"),
    "toolConfig": "ToolConfig",
    "safetySettings": Repeated("SafetySetting"),
    "systemInstruction": "Content",
    "generationConfig": "GenerationConfig",
    "cachedContent": STRING,
}

_SCHEMA: dict[str, Kind] = {
    "type": SCHEMA_TYPE,
    "format": STRING,
    "title": STRING,
    "description": STRING,
    "nullable": BOOLEAN,
    "enum": Repeated(STRING),
    "maxItems": INTEGER,
    "minItems": INTEGER,
    "properties": Mapped("Schema"),
    "required": Repeated(STRING),
    "minProperties": INTEGER,
    "maxProperties": INTEGER,
    "minLength": INTEGER,
    "maxLength": INTEGER,
    "pattern": STRING,
    "example": ANY,
    "anyOf": Repeated("Schema"),
    "propertyOrdering": Repeated(STRING),
    "default": ANY,
    "items": "Schema",
    "minimum": NUMBER,
    "maximum": NUMBER,
}

_COMMON: dict[str, dict[str, Kind]] = {
    "Content": {"parts": Repeated("Part"), "role": STRING},
    "Part": {
        "text": STRING,
        "thought": BOOLEAN,
        "thoughtSignature": STRING,
        "inlineData": "Blob",
        "fileData": "FileData",
        "functionCall": "FunctionCall",
        "functionResponse": "FunctionResponse",
        "executableCode": ANY,
        "codeExecutionResult": ANY,
        "toolCall": ANY,
        "toolResponse": ANY,
        "videoMetadata": ANY,
        "mediaResolution": ANY,
        "partMetadata": ANY,
    },
    "Blob": {"mimeType": STRING, "data": STRING, "displayName": STRING},
    "FileData": {"mimeType": STRING, "fileUri": STRING, "displayName": STRING},
    "FunctionCall": {"id": STRING, "name": STRING, "args": ANY, "partialArgs": ANY, "willContinue": BOOLEAN},
    "FunctionResponse": {
        "id": STRING,
        "name": STRING,
        "response": ANY,
        "parts": Repeated(ANY),
        "willContinue": BOOLEAN,
        "scheduling": STRING,
    },
    "Tool": {
        "functionDeclarations": Repeated("FunctionDeclaration"),
        "googleSearch": "GoogleSearch",
        "googleSearchRetrieval": ANY,
        "codeExecution": ANY,
        "urlContext": ANY,
        "googleMaps": ANY,
        "computerUse": ANY,
        "fileSearch": ANY,
        "mcpServers": ANY,
    },
    "GoogleSearch": {"timeRangeFilter": ANY, "searchTypes": ANY},
    "FunctionDeclaration": {
        "name": STRING,
        "description": STRING,
        "behavior": STRING,
        "parameters": "Schema",
        "parametersJsonSchema": ANY,
        "response": "Schema",
        "responseJsonSchema": ANY,
    },
    "ToolConfig": {
        "functionCallingConfig": "FunctionCallingConfig",
        "retrievalConfig": ANY,
        "includeServerSideToolInvocations": BOOLEAN,
    },
    "FunctionCallingConfig": {
        "mode": CALLING_MODE,
        "allowedFunctionNames": Repeated(STRING),
        "streamFunctionCallArguments": BOOLEAN,
    },
    "SafetySetting": {"category": STRING, "threshold": STRING, "method": STRING},
    "ThinkingConfig": {"includeThoughts": BOOLEAN, "thinkingBudget": INTEGER, "thinkingLevel": STRING},
    "GenerationConfig": {
        "candidateCount": INTEGER,
        "stopSequences": Repeated(STRING),
        "maxOutputTokens": INTEGER,
        "temperature": NUMBER,
        "topP": NUMBER,
        "topK": NUMBER,
        "seed": INTEGER,
        "responseMimeType": STRING,
        "responseSchema": "Schema",
        "responseJsonSchema": ANY,
        "responseFormat": ANY,
        "presencePenalty": NUMBER,
        "frequencyPenalty": NUMBER,
        "responseLogprobs": BOOLEAN,
        "logprobs": INTEGER,
        "enableEnhancedCivicAnswers": BOOLEAN,
        "responseModalities": Repeated(STRING),
        "speechConfig": ANY,
        "imageConfig": ANY,
        "thinkingConfig": "ThinkingConfig",
        "mediaResolution": STRING,
        "routingConfig": ANY,
        "modelSelectionConfig": ANY,
        "audioTimestamp": BOOLEAN,
        "enableAffectiveDialog": BOOLEAN,
    },
}

GEMINI: Messages = _COMMON | {
    "Schema": _SCHEMA,
    "GenerateContentRequest": _REQUEST | {"model": STRING, "store": BOOLEAN, "serviceTier": STRING},
    "CountTokensRequest": {
        "model": STRING,
        "contents": Repeated("Content"),
        "generateContentRequest": "GenerateContentRequest",
    },
}
"""The Gemini API. Its `parameters` know neither `$schema` nor `additionalProperties` (see proto_json)."""

_VERTEX: dict[str, dict[str, Kind]] = _COMMON | {
    # Vertex's Schema has references and additionalProperties:
    # https://cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema
    "Schema": _SCHEMA | {"additionalProperties": ANY, "ref": STRING, "defs": Mapped("Schema")},
    "Tool": _COMMON["Tool"] | {"retrieval": ANY, "enterpriseWebSearch": ANY, "parallelAiSearch": ANY},
    "GoogleSearch": _COMMON["GoogleSearch"]
    | {"excludeDomains": Repeated(STRING), "blockingConfidence": STRING},
    "GenerateContentRequest": _REQUEST | {"model": STRING, "labels": ANY, "modelArmorConfig": ANY},
    "CountTokensRequest": _REQUEST | {"model": STRING, "instances": ANY},
}

VERTEX: Messages = _VERTEX
"""Vertex AI, v1 and v1beta1."""

CODE_ASSIST: Messages = _VERTEX | {
    "GenerateContentRequest": _REQUEST | {"labels": ANY, "sessionId": STRING},
    "CountTokensRequest": {"model": STRING, "contents": Repeated("Content")},
    "WrappedGenerate": {
        "model": STRING,
        "project": STRING,
        "userPromptId": STRING,
        "request": "GenerateContentRequest",
        "enabledCreditTypes": Repeated(STRING),
        "requestId": STRING,
        "userAgent": STRING,
        "requestType": STRING,
    },
    # The real server refuses `model` and `project` beside `request`, and safetySettings inside it:
    # https://github.com/lbjlaq/Antigravity-Manager/pull/3295
    "WrappedCount": {"request": "CountTokensRequest"},
}
"""Code Assist: the standard request wrapped in an envelope."""
