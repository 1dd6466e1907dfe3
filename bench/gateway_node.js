// node http-proxy as people set it up for speed: kept connections to the upstream, nothing else.
//   node gateway_node.js PORT UPSTREAM_PORT       `http-proxy` is found through NODE_PATH
const http = require('http');
const httpProxy = require('http-proxy');
const [port, upstream] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const proxy = httpProxy.createProxyServer({ target: `http://127.0.0.1:${upstream}`, agent });
proxy.on('error', (error, request, response) => response.writeHead?.(502).end(String(error)));
http.createServer((request, response) => proxy.web(request, response)).listen(Number(port), '127.0.0.1');
