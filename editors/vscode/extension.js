// Starts `dynamoc lsp`, and shows what it renders. All else is the server's.
"use strict";

const vscode = require("vscode");
const { ExecuteCommandRequest, LanguageClient } = require("vscode-languageclient/node");

const SCHEME = "dynamoc";
const LANGUAGES = ["yaml", "json"];

let client;

async function activate(context) {
  const rendered = new Rendered();
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, rendered),
    vscode.commands.registerCommand("dynamoc.showRendered", () => rendered.show()),
    vscode.commands.registerCommand("dynamoc.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("dynamoc.command")) restart();
    }),
  );
  await start();
}

async function deactivate() {
  await client?.stop();
}

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("dynamoc").get("command");
  const selector = LANGUAGES.flatMap((language) => [
    { scheme: "file", language },
    { scheme: "untitled", language },
    { scheme: SCHEME, language },
  ]);
  const server = { command, args, options: { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath } };
  client = new LanguageClient("dynamoc", "Dynamo graphs", server, { documentSelector: selector });
  try {
    await client.start();
  } catch (problem) {
    const hint = "Install it (docs/install.md), or set dynamoc.command.";
    vscode.window.showErrorMessage(`${[command, ...args].join(" ")} does not start: ${problem.message ?? problem}. ${hint}`);
  }
}

async function restart() {
  await client?.stop().catch(() => {});
  await start();
}

// The texts that the server rendered, by their addresses.
class Rendered {
  constructor() {
    this.texts = new Map();
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
  }

  provideTextDocumentContent(uri) {
    return this.texts.get(uri.toString()) ?? "";
  }

  async show() {
    const input = vscode.window.activeTextEditor?.document;
    if (input === undefined || !LANGUAGES.includes(input.languageId)) return;
    const asked = { command: "dynamoc.render", arguments: [input.uri.toString()] };
    const answer = await client.sendRequest(ExecuteCommandRequest.type, asked);
    if (!answer) return;
    const uri = vscode.Uri.parse(answer.uri);
    this.texts.set(uri.toString(), answer.text);
    this.changed.fire(uri);
    const document = await vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), "yaml");
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }
}

module.exports = { activate, deactivate };
