// Drives @google/genai and @ai-sdk/google (with ai) against the emulator: whole, streamed, grounded, with tools.
//
//   node conformance/google_node_clients.mjs --modules DIR --url http://127.0.0.1:PORT
//
// DIR is a folder whose node_modules has the three packages; the URL may come from EMULATOR_URL. The emulator
// must run without a script. Prints one line per check and exits 1 when one fails.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';

function option(name, otherwise) {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : process.argv[at + 1];
}

const url = option('--url', process.env.EMULATOR_URL);
const load = createRequire(path.resolve(option('--modules', process.cwd()), 'from-here.js'));
const { GoogleGenAI } = load('@google/genai');
const { createGoogleGenerativeAI } = load('@ai-sdk/google');
const { generateText, jsonSchema, stepCountIs, streamText, tool } = load('ai');

const model = 'gemini-2.5-flash';
const gemini3 = 'gemini-3-pro-preview';
const weatherSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const genai = (scenario = '') =>
  new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: scenario ? `${url}/~${scenario}` : url } });
const google = (scenario = '') =>
  createGoogleGenerativeAI({ apiKey: 'k', baseURL: `${scenario ? `${url}/~${scenario}` : url}/v1beta` });

const checks = {
  async '@google/genai: generateContent'() {
    const answer = await genai().models.generateContent({ model, contents: 'hello' });
    assert.equal(answer.text, 'You said: hello');
  },

  async '@google/genai: generateContentStream, split in bytes'() {
    const stream = await genai('split-multibyte').models.generateContentStream({ model, contents: '北京🌤' });
    let text = '';
    for await (const chunk of stream) text += chunk.text ?? '';
    assert.equal(text, 'You said: 北京🌤');
  },

  async '@google/genai: googleSearch is grounded in bytes'() {
    const config = { tools: [{ googleSearch: {} }] };
    const answer = await genai().models.generateContent({ model, contents: '北京天气', config });
    const { groundingChunks, groundingSupports } = answer.candidates[0].groundingMetadata;
    const bytes = Buffer.from(answer.text, 'utf8');
    assert.ok(groundingSupports.length > 0);
    for (const { segment, groundingChunkIndices } of groundingSupports) {
      assert.equal(bytes.subarray(segment.startIndex ?? 0, segment.endIndex).toString('utf8'), segment.text);
      for (const index of groundingChunkIndices) assert.ok(groundingChunks[index].web.uri);
    }
  },

  async '@google/genai: function call and result on Gemini 3'() {
    const config = { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: weatherSchema }] }] };
    const asker = genai('tool-call');
    const question = { role: 'user', parts: [{ text: 'weather?' }] };
    const first = await asker.models.generateContent({ model: gemini3, contents: [question], config });
    assert.deepEqual(first.functionCalls[0].args, { city: 'text' });
    const result = { functionResponse: { name: 'weather', response: { output: 'sunny' } } };
    const contents = [question, first.candidates[0].content, { role: 'user', parts: [result] }];
    const second = await asker.models.generateContent({ model: gemini3, contents, config });
    assert.equal(second.text, 'Thank you for the result of weather.');
  },

  async '@google/genai: countTokens, models.list, models.get'() {
    const { models } = genai();
    assert.equal((await models.countTokens({ model, contents: 'x'.repeat(400) })).totalTokens, 100);
    const names = [];
    for await (const one of await models.list({ config: { pageSize: 3 } })) names.push(one.name);
    assert.ok(names.includes(`models/${model}`));
    assert.equal((await models.get({ model })).name, `models/${model}`);
  },

  async '@google/genai: a refusal has its status'() {
    await assert.rejects(genai('quota').models.generateContent({ model, contents: 'x' }), { status: 429 });
  },

  async '@ai-sdk/google: generateText'() {
    const answer = await generateText({ model: google()(model), prompt: 'hello' });
    assert.equal(answer.text, 'You said: hello');
    assert.equal(answer.finishReason, 'stop');
  },

  async '@ai-sdk/google: streamText with search has sources'() {
    const provider = google();
    const tools = { google_search: provider.tools.googleSearch({}) };
    const stream = streamText({ model: provider(model), prompt: '北京天气', tools });
    let text = '';
    for await (const piece of stream.textStream) text += piece;
    assert.ok(text.includes('北京'));
    assert.ok((await stream.sources)[0].url.startsWith('https://'));
  },

  async '@ai-sdk/google: a tool runs and the model goes on, on Gemini 3'() {
    const cities = [];
    const weather = tool({
      description: 'The weather in a city',
      inputSchema: jsonSchema(weatherSchema),
      execute: async ({ city }) => (cities.push(city), 'sunny'),
    });
    const options = { prompt: 'weather?', tools: { weather }, stopWhen: stepCountIs(3) };
    const answer = await generateText({ model: google('tool-call')(gemini3), ...options });
    assert.deepEqual(cities, ['text']);
    assert.equal(answer.text, 'Thank you for the result of weather.');
  },

  async '@ai-sdk/google: a refusal has its status'() {
    const asking = generateText({ model: google('service-disabled')(model), prompt: 'x', maxRetries: 0 });
    await assert.rejects(asking, { statusCode: 403 });
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL  ${name}: ${String(error?.message ?? error).slice(0, 600)}`);
  }
}
process.exit(failed ? 1 : 0);
