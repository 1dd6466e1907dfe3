// Calls every tool of an MCP server with each generation of the official TypeScript SDK, over pipes and HTTP.
// Told in the environment: SERVER (JSON: command, args, env), URL, KEY, CALLS (JSON: name and arguments of each call).
// Prints one JSON object: what each SDK saw, by its name.

const SDKS = {
  "sdk-2024-11-05": "sdk-2024-11-05",
  "sdk-2025-03-26": "sdk-2025-03-26",
  "sdk-2025-06-18": "sdk-2025-06-18",
  "sdk-2025-11-25": "@modelcontextprotocol/sdk",
};
const server = JSON.parse(process.env.SERVER);
const calls = JSON.parse(process.env.CALLS);

async function seenBy(transport, Client) {
  const versions = [];
  const client = new Client({ name: "conformance", version: "1" }, { capabilities: {} });
  const connected = client.connect(transport); // sets onmessage before it waits for anything
  const hear = transport.onmessage;
  transport.onmessage = (message, ...more) => {
    if (message?.result?.protocolVersion) versions.push(message.result.protocolVersion);
    hear?.(message, ...more);
  };
  await connected;
  const { tools } = await client.listTools();
  const results = {};
  for (const [label, name, given] of calls) {
    results[label] = await client.callTool({ name, arguments: given });
  }
  let unknown = "";
  try {
    const told = await client.callTool({ name: "no_such_tool", arguments: {} });
    unknown = told.isError ? told.content[0].text : "";
  } catch (error) {
    unknown = error.message;
  }
  await client.close();
  return {
    version: versions[0] ?? "",
    capabilities: Object.keys(client.getServerCapabilities() ?? {}),
    tools: tools.map((tool) => tool.name),
    fields: [...new Set(tools.flatMap((tool) => Object.keys(tool)))].sort(),
    results,
    unknown,
  };
}

const seen = {};
for (const [label, name] of Object.entries(SDKS)) {
  const { Client } = await import(`${name}/client/index.js`);
  const { StdioClientTransport } = await import(`${name}/client/stdio.js`);
  seen[`${label} over pipes`] = await seenBy(new StdioClientTransport(server), Client);
  if (label === "sdk-2024-11-05") continue; // streamable HTTP came later
  const { StreamableHTTPClientTransport } = await import(`${name}/client/streamableHttp.js`);
  const requestInit = { headers: { Authorization: `Bearer ${process.env.KEY}` } };
  const transport = new StreamableHTTPClientTransport(new URL(process.env.URL), { requestInit });
  seen[`${label} over HTTP`] = await seenBy(transport, Client);
}
process.stdout.write(JSON.stringify(seen));
process.exit(0);
