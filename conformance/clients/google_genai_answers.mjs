// Does with @google/genai what people do with it, and prints what came back as one JSON object.
// Runs in a folder that has @google/genai installed. EMULATOR_URL is the server.

import { FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { readFileSync } from "node:fs";

const MODEL = "gemini-2.5-flash";
const CALLING = "gemini-3-pro-preview"; // wants the signatures of its thoughts back
const GREETING = "Grüße, 世界 👋";
const ONE_BYTE_AT_A_TIME = `[[scenario:split-multibyte]] ${GREETING}`;
const QUESTION = "What is the weather in Beijing?";
const ai = new GoogleGenAI({ apiKey: "conformance-key", httpOptions: { baseUrl: process.env.EMULATOR_URL } });

const declaration = {
  functionDeclarations: [
    {
      name: "get_weather",
      description: "Tell the weather of a city.",
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] },
    },
  ],
};
const generate = (contents, config) => ai.models.generateContent({ model: MODEL, contents, config });

async function refused(request) {
  try {
    await ai.models.generateContent(request);
  } catch (error) {
    return { type: error.name, code: error.status, message: error.message };
  }
  return {};
}

async function functionRound(ask) {
  const config = {
    tools: [declaration],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
  };
  const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
  const { call, content } = await ask(contents, config);
  contents.push(content, {
    role: "user",
    parts: [{ functionResponse: { name: call.name, response: { result: "dry and cold" } } }],
  });
  const { text } = await ask(contents, config);
  return { name: call.name, args: call.args, answer: text };
}

async function atOnce(contents, config) {
  const response = await ai.models.generateContent({ model: CALLING, contents, config });
  return { call: response.functionCalls?.[0], content: response.candidates[0].content, text: response.text };
}

async function inAStream(contents, config) {
  const calls = [];
  const parts = [];
  let text = "";
  for await (const event of await ai.models.generateContentStream({ model: CALLING, contents, config })) {
    calls.push(...(event.functionCalls ?? []));
    parts.push(...event.candidates[0].content.parts);
    text += event.text ?? "";
  }
  return { call: calls[0], content: { role: "model", parts }, text };
}

async function streamed(contents) {
  const texts = [];
  for await (const event of await ai.models.generateContentStream({ model: MODEL, contents })) {
    texts.push(event.text);
  }
  return texts;
}

async function searched() {
  const response = await generate(QUESTION, { tools: [{ googleSearch: {} }] });
  const candidate = response.candidates[0];
  const { groundingChunks, groundingSupports } = candidate.groundingMetadata;
  return {
    text: response.text,
    supports: groundingSupports.map(({ segment, groundingChunkIndices }) => ({
      start: segment.startIndex ?? 0,
      end: segment.endIndex,
      text: segment.text,
      urls: groundingChunkIndices.map((number) => groundingChunks[number].web.uri),
    })),
  };
}

const thoughtful = await generate(GREETING, { thinkingConfig: { includeThoughts: true } });
const chat = ai.chats.create({ model: MODEL });
await chat.sendMessage({ message: "first" });
const models = [];
for await (const model of await ai.models.list()) models.push(model.name);

const seen = {
  version: JSON.parse(readFileSync(new URL("node_modules/@google/genai/package.json", import.meta.url))).version,
  unary: (await generate(GREETING)).text,
  stream: await streamed(GREETING),
  split: await streamed(ONE_BYTE_AT_A_TIME),
  tokens: (await ai.models.countTokens({ model: MODEL, contents: GREETING })).totalTokens,
  models,
  search: await searched(),
  call: await functionRound(atOnce),
  streamed_call: await functionRound(inAStream),
  thoughts: thoughtful.candidates[0].content.parts.filter((part) => part.thought).map((part) => part.text),
  thoughtful: thoughtful.text,
  chat: (await chat.sendMessage({ message: "second" })).text,
  refused_mix: await refused({
    model: MODEL,
    contents: QUESTION,
    config: { tools: [{ googleSearch: {} }, declaration] },
  }),
  refused_model: await refused({ model: "no-such-model", contents: QUESTION }),
};
console.log(JSON.stringify(seen));
