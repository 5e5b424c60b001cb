// A static server for the built page, on loopback.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const TYPES = {".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".zip": "application/zip"};

export async function serve(root) {
  const asked = [];
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    asked.push(name);
    const file = path.join(root, name.endsWith("/") ? `${name}index.html` : name);
    if (!path.resolve(file).startsWith(path.resolve(root)) || !fs.existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const data = fs.readFileSync(file);
    response.writeHead(200, {"content-type": TYPES[path.extname(file)] ?? "application/octet-stream", "content-length": data.length});
    response.end(data);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {address: `http://127.0.0.1:${server.address().port}/`, asked, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); })};
}
