// Does with @ai-sdk/google what people do with it, and prints what came back as one JSON object.
// Runs in a folder that has @ai-sdk/google and ai installed. EMULATOR_URL is the server.

import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { readFileSync } from "node:fs";

const GREETING = "Grüße, 世界 👋";
const ONE_BYTE_AT_A_TIME = `[[scenario:split-multibyte]] ${GREETING}`;
const QUESTION = "What is the weather in Beijing?";
const google = createGoogleGenerativeAI({
  apiKey: "conformance-key",
  baseURL: `${process.env.EMULATOR_URL}/v1beta`,
});
const model = google("gemini-2.5-flash");
const calling = google("gemini-3-pro-preview"); // wants the signatures of its thoughts back
const maxRetries = 0;
const calledWith = [];

const get_weather = tool({
  description: "Tell the weather of a city.",
  inputSchema: jsonSchema({
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  }),
  execute: async ({ city }) => {
    calledWith.push(city);
    return "dry and cold";
  },
});

async function streamed(prompt) {
  const result = streamText({ model, prompt, maxRetries });
  const texts = [];
  for await (const piece of result.textStream) texts.push(piece);
  return { texts, finish: await result.finishReason };
}

async function streamedCall() {
  const result = streamText({ model: calling, prompt: QUESTION, tools: { get_weather }, stopWhen: stepCountIs(3), maxRetries });
  const calls = [];
  for await (const part of result.fullStream) {
    if (part.type === "tool-call") calls.push({ name: part.toolName, args: part.input });
  }
  return { ...calls[0], answer: await result.text };
}

async function functionRound() {
  const result = await generateText({
    model: calling,
    prompt: QUESTION,
    tools: { get_weather },
    stopWhen: stepCountIs(3),
    maxRetries,
  });
  const call = result.steps[0].toolCalls[0];
  return { name: call.toolName, args: call.input, answer: result.text };
}

async function searched() {
  const result = await generateText({
    model,
    prompt: QUESTION,
    tools: { google_search: google.tools.googleSearch({}) },
    maxRetries,
  });
  const { groundingChunks, groundingSupports } = result.providerMetadata.google.groundingMetadata;
  return {
    text: result.text,
    sources: result.sources.map((source) => source.url),
    supports: groundingSupports.map(({ segment, groundingChunkIndices }) => ({
      start: segment.startIndex ?? 0,
      end: segment.endIndex,
      text: segment.text,
      urls: groundingChunkIndices.map((number) => groundingChunks[number].web.uri),
    })),
  };
}

async function refused(request) {
  try {
    await generateText({ prompt: QUESTION, maxRetries, ...request });
  } catch (error) {
    return { type: error.name, code: error.statusCode, message: error.message };
  }
  return {};
}

const thoughtful = await generateText({
  model,
  prompt: GREETING,
  maxRetries,
  providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
});
const stream = await streamed(GREETING);

const seen = {
  version: JSON.parse(readFileSync(new URL("node_modules/@ai-sdk/google/package.json", import.meta.url))).version,
  unary: (await generateText({ model, prompt: GREETING, maxRetries })).text,
  stream: stream.texts,
  stream_finish: stream.finish,
  split: (await streamed(ONE_BYTE_AT_A_TIME)).texts,
  search: await searched(),
  call: await functionRound(),
  streamed_call: await streamedCall(),
  automatic_called: calledWith,
  thoughts: thoughtful.reasoning.map((part) => part.text),
  thoughtful: thoughtful.text,
  refused_model: await refused({ model: google("no-such-model") }),
};
console.log(JSON.stringify(seen));
