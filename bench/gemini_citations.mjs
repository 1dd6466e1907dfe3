// Gemini CLI's own web search tool, timed: reads a generateContent response from a file, lets the real tool
// insert its citations again and again, and prints the milliseconds of each round as JSON.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [core, file, rounds] = process.argv.slice(2);
const module = pathToFileURL(path.join(core, 'dist/src/tools/web-search.js')).href;
const { WebSearchTool } = await import(module);
const response = JSON.parse(fs.readFileSync(file, 'utf8'));
const client = { generateContent: async () => response };
const context = { geminiClient: client };
context.config = context; // the tool reads its context through its config
const bus = { publish() {}, subscribe() {}, unsubscribe() {} };
const tool = new WebSearchTool(context, bus);
const times = [];
let length = 0;
for (let round = 0; round < Number(rounds); round++) {
  const started = performance.now();
  const result = await tool.build({ query: 'bench' }).execute({ abortSignal: new AbortController().signal });
  times.push(performance.now() - started);
  if (result.error) throw new Error(result.error.message);
  length = result.llmContent.length;
}
console.log(JSON.stringify({ times, length }));
