// Runs the code of the extension with stand-ins for VS Code and for the client library.
"use strict";

const assert = require("node:assert/strict");
const Module = require("node:module");

const calls = [];
let provider;
let command = ["python3", "-m", "dynamoc", "lsp"];
const commands = {};
const uri = (text) => ({ toString: () => text, fsPath: "/work" });
const input = { languageId: "yaml", uri: uri("file:///work/a.yaml") };

const vscode = {
  EventEmitter: class {
    event = () => {};
    fire(changed) {
      calls.push(["changed", changed.toString()]);
    }
  },
  Uri: { parse: uri },
  ViewColumn: { Beside: -2 },
  commands: { registerCommand: (name, action) => ((commands[name] = action), { dispose() {} }) },
  languages: { setTextDocumentLanguage: async (document, language) => ({ ...document, language }) },
  window: {
    activeTextEditor: { document: input },
    showErrorMessage: (text) => calls.push(["error", text]),
    showTextDocument: async (document) => calls.push(["shown", document.language, document.text]),
  },
  workspace: {
    workspaceFolders: [{ uri: uri("file:///work") }],
    getConfiguration: () => ({ get: () => command }),
    onDidChangeConfiguration: () => ({ dispose() {} }),
    openTextDocument: async (opened) => ({ text: provider.provideTextDocumentContent(opened) }),
    registerTextDocumentContentProvider: (scheme, given) => {
      assert.equal(scheme, "dynamoc");
      provider = given;
      return { dispose() {} };
    },
  },
};

class LanguageClient {
  constructor(id, name, server, options) {
    calls.push(["created", server.command, server.args, options.documentSelector.length]);
  }
  async start() {
    if (command[0] === "missing") throw new Error("no such program");
  }
  async stop() {
    calls.push(["stopped"]);
  }
  async sendRequest(type, asked) {
    calls.push(["asked", asked]);
    return { uri: "dynamoc:rendered/work/a.yaml", text: "kind: PodCliqueSet\n", errors: 0 };
  }
}

const load = Module._load;
Module._load = (name, ...rest) => {
  if (name === "vscode") return vscode;
  if (name === "vscode-languageclient/node") return { LanguageClient, ExecuteCommandRequest: { type: "execute" } };
  return load(name, ...rest);
};

async function main() {
  const extension = require("../extension.js");
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepEqual(calls.shift(), ["created", "python3", ["-m", "dynamoc", "lsp"], 6]);
  assert.equal(context.subscriptions.length, 4);

  await commands["dynamoc.showRendered"]();
  assert.deepEqual(calls, [
    ["asked", { command: "dynamoc.render", arguments: ["file:///work/a.yaml"] }],
    ["changed", "dynamoc:rendered/work/a.yaml"],
    ["shown", "yaml", "kind: PodCliqueSet\n"],
  ]);

  calls.length = 0;
  command = ["missing", "lsp"];
  await commands["dynamoc.restart"]();
  assert.deepEqual(calls.map((call) => call[0]), ["stopped", "created", "error"]);
  assert.match(calls[2][1], /missing lsp does not start: no such program. Install it/);
  await extension.deactivate();
  console.log("ok");
}

main().catch((problem) => {
  console.error(problem.stack);
  process.exit(1);
});
