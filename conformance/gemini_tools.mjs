// Runs the real file tools and the shell tool of @google/gemini-cli-core on a directory, one JSON line per call.
//
//   node gemini_tools.mjs --core DIR --rg PATH      (DIR: the installed package, PATH: a ripgrep)
//
// Input:  {"root": DIR, "tool": NAME, "args": {...}, "fresh": true?}   fresh: read the ignore files again
// Output: {"llmContent", "returnDisplay", "error": {message, type} | null, "took": {ms, cpu_ms}}; arguments that the
// tool refuses give an error of the type invalid_tool_params. Answers come in order, so this can be a co-process.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const option = (name) => process.argv[process.argv.indexOf(name) + 1];
const core = path.resolve(option('--core'));
const rg = option('--rg');

// A home of its own: nothing of the user's is read or written.
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'gemini-home-'));
process.env.GEMINI_CLI_HOME = home;
process.on('exit', () => fs.rmSync(home, { recursive: true, force: true }));
process.env.GEMINI_TELEMETRY_ENABLED = 'false';
const write = process.stdout.write.bind(process.stdout);
for (const kind of ['log', 'info', 'warn', 'error', 'debug', 'trace']) console[kind] = () => {};

const load = (file) => import(pathToFileURL(path.join(core, file)).href);
const { Config, ApprovalMode } = await load('dist/index.js');
const tool = async (file, name) => (await load(`dist/src/tools/${file}.js`))[name];
const classes = [
  await tool('edit', 'EditTool'),
  await tool('read-file', 'ReadFileTool'),
  await tool('write-file', 'WriteFileTool'),
  await tool('ls', 'LSTool'),
  await tool('glob', 'GlobTool'),
  await tool('ripGrep', 'RipGrepTool'),
  await tool('read-many-files', 'ReadManyFilesTool'),
  await tool('shell', 'ShellTool'),
];

async function session(root) {
  const config = new Config({
    sessionId: 'conformance', clientVersion: 'conformance', targetDir: root, cwd: root, debugMode: false,
    model: 'gemini-2.5-pro', approvalMode: ApprovalMode.YOLO, interactive: false, usageStatisticsEnabled: false,
    telemetry: { enabled: false }, trustedFolder: true, disableLLMCorrection: true, useRipgrep: true,
    mcpEnabled: false, extensionsEnabled: false, skillsSupport: false, enableHooks: false, plan: false,
    fileFiltering: { respectGitIgnore: true, respectGeminiIgnore: true, customIgnoreFilePaths: [] },
  });
  config.storage.projectIdentifier = 'conformance';
  config.getRipgrepPath = async () => rg;
  const noModel = async () => { throw new Error('no model here'); };
  config.baseLlmClient = { generateJson: noModel };
  config.geminiClient = { generateContent: noModel };
  config.getFileService();
  const bus = config.messageBus ?? config.getMessageBus();
  return new Map(classes.map((one) => new one(config, bus)).map((one) => [one.name, one]));
}

const sessions = new Map();
async function answer(call) {
  const root = path.resolve(call.root);
  process.chdir(root); // as in the CLI: ripgrep anchors --glob there
  if (call.fresh) sessions.delete(root);
  if (!sessions.has(root)) sessions.set(root, await session(root));
  const started = performance.now();
  const worked = process.cpuUsage();
  const taken = () => {
    const { user, system } = process.cpuUsage(worked);
    return { ms: performance.now() - started, cpu_ms: (user + system) / 1000 };
  };
  const failed = (e, type) => ({ llmContent: null, returnDisplay: null, error: { message: e?.message ?? String(e), type } });
  let invocation;
  try {
    invocation = sessions.get(root).get(call.tool).build(structuredClone(call.args));
  } catch (e) {
    return { ...failed(e, 'invalid_tool_params'), took: taken() };
  }
  try {
    const r = await invocation.execute({ abortSignal: new AbortController().signal });
    const error = r.error ? { message: r.error.message, type: r.error.type ?? null } : null;
    return { llmContent: r.llmContent, returnDisplay: r.returnDisplay, error, took: taken() };
  } catch (e) {
    return { ...failed(e, 'thrown'), took: taken() };
  }
}

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const result = await answer(JSON.parse(line));
  // ASCII only: lone surrogates and U+2028 survive.
  const text = JSON.stringify(result).replace(/[\u007f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
  await new Promise((done) => write(text + '\n', done));
}
process.exit(0);
