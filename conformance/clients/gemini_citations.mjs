// Gemini CLI's own web search tool on prepared generateContent responses: what it tells the model of each.
//
//   RESPONSES=FILE node gemini_citations.mjs     FILE: a JSON list of responses; prints {"texts": [...]}
import fs from 'node:fs';
import { WebSearchTool } from './node_modules/@google/gemini-cli-core/dist/src/tools/web-search.js';

const texts = [];
for (const response of JSON.parse(fs.readFileSync(process.env.RESPONSES, 'utf8'))) {
  const context = { geminiClient: { generateContent: async () => response } };
  context.config = context; // the tool reads its context through its config
  const tool = new WebSearchTool(context, { publish() {}, subscribe() {}, unsubscribe() {} });
  const result = await tool.build({ query: 'q' }).execute({ abortSignal: new AbortController().signal });
  texts.push(result.llmContent);
}
console.log(JSON.stringify({ texts }));
