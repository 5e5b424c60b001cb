// Talks with the real server by way of the client library's protocol, without VS Code.
// Usage: node test/dialogue.js FOLDER COMMAND [ARGUMENT]...; in FOLDER are dynamoc.yaml and graph.yaml.
"use strict";

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const [folder, command, ...args] = process.argv.slice(2);
const file = path.join(folder, "graph.yaml");
const uri = pathToFileURL(file).toString();
const text = fs.readFileSync(file, "utf8");

const server = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
server.on("exit", (code) => {
  if (!ending) fail(`the server ended with exit code ${code}`);
});
let ending = false;
const connection = lsp.createProtocolConnection(server.stdout, server.stdin);

function fail(why) {
  console.error(why);
  process.exit(1);
}

function position(word, offset = 1) {
  const before = text.slice(0, text.indexOf(word) + offset);
  return { line: before.split("\n").length - 1, character: before.length - before.lastIndexOf("\n") - 1 };
}

async function main() {
  const published = new Promise((resolve) => {
    connection.onNotification(lsp.PublishDiagnosticsNotification.type, resolve);
  });
  connection.onRequest(lsp.RegistrationRequest.type, () => {});
  connection.listen();
  const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(folder).toString(), name: "test" }],
    capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
  });
  for (const each of ["hoverProvider", "completionProvider", "definitionProvider", "codeActionProvider", "renameProvider"]) {
    assert.ok(capabilities[each], each);
  }
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  const textDocument = { uri, languageId: "yaml", version: 1, text };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });

  const { diagnostics } = await published;
  assert.deepEqual(diagnostics.map((each) => each.code), ["check/too-few-gpus"]);

  const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: position("type: worker", 8) });
  assert.match(hover.contents.value, /Role in the graph/);

  const asked = { textDocument, position: position("type: worker", 6) };
  const { items } = await connection.sendRequest(lsp.CompletionRequest.type, asked);
  assert.ok(items.some((each) => each.label === "frontend"));

  const renamed = { textDocument, position: position("Worker"), newName: "Decode" };
  const { changes } = await connection.sendRequest(lsp.RenameRequest.type, renamed);
  assert.equal(changes[uri].length, 1);

  const render = { command: "dynamoc.render", arguments: [uri] };
  const answer = await connection.sendRequest(lsp.ExecuteCommandRequest.type, render);
  assert.match(answer.text, /kind: PodCliqueSet/);
  const line = answer.text.split("\n").findIndex((each) => each.includes("image: nvcr.io"));
  const origin = { textDocument: { uri: answer.uri }, position: { line, character: 0 } };
  const [place] = await connection.sendRequest(lsp.DefinitionRequest.type, origin);
  assert.deepEqual([place.uri, place.range.start.line], [uri, position("image: nvcr.io").line]);

  ending = true;
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  const code = await new Promise((resolve) => server.on("exit", resolve));
  assert.equal(code, 0);
  console.log("ok");
}

main().catch((problem) => fail(problem.stack));
