// The built page in a real Chromium: `npm run build && npm test`.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import {after, before, describe, test} from "node:test";
import {fileURLToPath} from "node:url";
import {chromium} from "playwright-core";
import {serve} from "./serve.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../../..");
const BUILT = path.join(ROOT, "dist/playground");
const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(fs.existsSync);
const LLAMA = fs.readFileSync(path.join(ROOT, "examples/llama.yaml"), "utf8");
const skip = !CHROMIUM ? "no Chromium: set CHROMIUM" : !fs.existsSync(BUILT) ? "not built: npm run build" : false;
if (skip) console.error(`SKIPPED LOUDLY: ${skip}`);

describe("the page", {skip, concurrency: false}, () => {
  let server, browser, context, page, foreign, errors, dialogs;

  before(async () => {
    server = await serve(BUILT);
    browser = await chromium.launch({executablePath: CHROMIUM, args: ["--no-sandbox"]});
    context = await browser.newContext({viewport: {width: 1300, height: 850}, permissions: ["clipboard-read", "clipboard-write"]});
    page = await opened(context);
  });

  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function opened(where, fragment = "") {
    const made = await where.newPage();
    foreign = [];
    errors = [];
    dialogs = [];
    made.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.address)) foreign.push(request.url());
    });
    made.on("pageerror", (error) => errors.push(String(error)));
    made.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });
    made.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
    await made.goto(server.address + fragment);
    await made.waitForFunction(() => document.body.dataset.run, null, {timeout: 90_000});
    return made;
  }

  const runs = () => page.evaluate(() => Number(document.body.dataset.run));
  const settled = (before) => page.waitForFunction((old) => Number(document.body.dataset.run) > old && document.body.dataset.shown?.endsWith(` ${document.body.dataset.run}`), before, {timeout: 60_000});

  async function write(text, on = page) {
    const before = await on.evaluate(() => Number(document.body.dataset.run));
    await on.locator(".cm-content").click();
    await on.keyboard.press("Control+A");
    await on.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await on.keyboard.press("Control+V");
    await on.waitForFunction((old) => Number(document.body.dataset.run) > old && document.body.dataset.shown?.endsWith(` ${document.body.dataset.run}`), before, {timeout: 60_000});
  }

  async function choose(tab) {
    await page.click(`#tab-${tab}`);
    await page.waitForFunction((name) => document.body.dataset.shown?.startsWith(`${name} `), tab, {timeout: 60_000});
  }

  const shown = () => page.evaluate(() => [...document.querySelectorAll("#panel pre > *")].map((line) => line.innerText.replace("\u200b", "")).join("\n"));

  test("renders the same bytes as the command line", async () => {
    await page.click("text=Copy YAML");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const python = path.join(ROOT, ".venv/bin/python");
    const words = ["-m", "dynamoc", "render", "examples/llama.yaml", "--target", "grove", "--operator-version", "1.4"];
    assert.equal(copied, execFileSync(python, words, {cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"]}));
    assert.deepEqual(foreign, []);
  });

  test("a misspelling has a finding at its line, and a fix", async () => {
    await write(LLAMA.replace("replicas: 2", "replcias: 2"));
    const finding = page.locator("#findings li", {hasText: "replcias"});
    assert.match(await finding.textContent(), /line 27.*schema\/unknown-field/s);
    assert.equal(await page.locator(".cm-lintRange-error").count() > 0, true);
    const before = await runs();
    await finding.locator("button", {hasText: "Rename"}).click();
    await settled(before);
    assert.match(await page.locator("#findings").textContent(), /No findings/);
  });

  test("values lead to the lines of the input, and back", async () => {
    await page.waitForFunction(() => document.querySelectorAll(".yaml-line.linked").length > 20, null, {timeout: 30_000});
    await page.locator(".yaml-line.linked", {hasText: "Llama-3.1-405B"}).first().click();
    assert.match(await page.locator(".cm-line.lit").first().textContent(), /Llama-3.1-405B/);
    await page.locator("#findings").click();
    await page.locator(".cm-line", {hasText: "backendFramework"}).click();
    const lit = page.locator(".yaml-line.lit");
    assert.ok(await lit.count() >= 0);
  });

  test("what a change restarts, an upgrade, a picture, requirements, a conversion", async () => {
    await write(LLAMA);
    await page.selectOption("#example", "3");
    await page.waitForFunction(() => document.body.dataset.shown?.startsWith("diff "), null, {timeout: 60_000});
    await page.waitForFunction(() => /GPUs restart/.test(document.querySelector("#panel").innerText), null, {timeout: 60_000});
    assert.match(await shown(), /Cost of each changed line/);
    await choose("upgrade");
    assert.match(await shown(), /1\.3 -> 1\.4/);
    await choose("picture");
    assert.equal(await page.locator("#panel img").evaluate((image) => image.decode().then(() => image.naturalWidth > 100)), true);
    await choose("requires");
    assert.match(await shown(), /Secret\/hf-token/);
    await choose("convert");
    assert.match(await shown(), /apiVersion: nvidia.com\/v1alpha1/);
    await choose("objects");
  });

  test("completion and hover know the schema", async () => {
    await write(LLAMA);
    await page.locator(".cm-line", {hasText: "type: frontend"}).click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("multi", {delay: 40});
    await page.locator(".cm-tooltip-autocomplete li", {hasText: "multinode"}).first().waitFor({timeout: 20_000}).catch(() => {});
    const offered = await page.locator(".cm-tooltip-autocomplete").count();
    await page.keyboard.press("Escape");
    await write(LLAMA);
    await page.locator(".cm-line", {hasText: "nodeCount"}).scrollIntoViewIfNeeded();
    await page.locator(".cm-line span", {hasText: "nodeCount"}).first().hover();
    await page.locator(".hover-text").waitFor({timeout: 20_000});
    assert.match(await page.locator(".hover-text").textContent(), /nodeCount.*podcliqueset\/llama/s);
    assert.equal(offered, 1);
    await page.mouse.move(5, 5);
  });

  test("a link holds the text and the choices; a damaged one is said", async () => {
    await page.selectOption("#release", "1.0");
    await page.selectOption("#target", "lws");
    await write(LLAMA.replace("name: llama", "name: shared"));
    await page.click("#share");
    await page.locator("#status", {hasText: "Link copied"}).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(link.startsWith(`${server.address}#1.`));
    const other = await opened(context, link.slice(server.address.length));
    assert.match(await other.locator(".cm-content").textContent(), /name: shared/);
    assert.equal(await other.inputValue("#release"), "1.0");
    assert.equal(await other.inputValue("#target"), "lws");
    await other.close();
    const damaged = await opened(context, "#1.AAAA");
    assert.match(await damaged.locator(".cm-content").textContent(), /llama/);
    await damaged.close();
    assert.equal(server.asked.some((name) => name.includes("1.")), false, "the fragment is never sent");
    await page.selectOption("#release", "1.4");
    await page.selectOption("#target", "grove");
  });

  test("the command line that does the same", async () => {
    await page.click("#copy-command");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "dynamoc render graph.yaml --operator-version 1.4 --target grove");
  });

  test("facts of the cluster count", async () => {
    await write(LLAMA);
    const before = await runs();
    await page.click("#cluster-button");
    await page.fill("#cluster-text", "apiVersion: v1\nkind: Secret\nmetadata: {name: pull, namespace: inference}\ntype: kubernetes.io/dockerconfigjson\ndata: {.dockerconfigjson: e30=}\n");
    await settled(before);
    await page.fill("#cluster-text", "not: an object");
    await page.waitForFunction(() => !/^no errors/.test(document.querySelector("#status").innerText) || document.querySelector("#findings").innerText.length > 0);
    await page.fill("#cluster-text", "");
    await page.click("#cluster-button");
  });

  test("hostile input stays text and is answered", async () => {
    const name = "<img src=x onerror=alert(1)>";
    await write(LLAMA.replace("name: Frontend", `name: "${name}"`).replace("replicas: 2", `"${name}": 2`));
    assert.equal(await page.locator("#findings img, #panel img[src='x']").count(), 0);
    assert.match(await page.locator("#findings").textContent(), /onerror/);
    await write(`a: ${"[".repeat(3000)}${"]".repeat(3000)}\n`);
    assert.match(await page.locator("#findings").textContent(), /error/);
    await write(`a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n`);
    assert.ok(await page.locator("#findings li").count() > 0);
    await write(`# ${"x".repeat(1_100_000)}\n`);
    assert.match(await page.locator("#findings").textContent(), /at most 1 MB/);
    await write(LLAMA);
    assert.match(await page.locator("#findings").textContent(), /No findings/);
    assert.deepEqual(dialogs, []);
  });

  test("the keyboard reaches everything", async () => {
    await page.locator("#tab-objects").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.body.dataset.shown?.startsWith("diff "));
    assert.equal(await page.evaluate(() => document.activeElement.id), "tab-diff");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.body.dataset.shown?.startsWith("objects "));
    await page.locator("#divider").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#divider", "aria-valuenow"), "55");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.querySelectorAll(".yaml-line.linked").length > 20, null, {timeout: 30_000});
    await page.locator("#panel").focus();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.locator(".yaml-line.current").count(), 1);
  });

  for (const [scheme, width] of [["light", 1300], ["dark", 1300], ["light", 390]]) {
    test(`axe finds nothing serious: ${scheme}, ${width} pixels`, async () => {
      const permissions = ["clipboard-read", "clipboard-write"];
      const own = await browser.newContext({viewport: {width, height: 850}, colorScheme: scheme, permissions});
      const made = await opened(own);
      await write(LLAMA.replace("replicas: 2", "replcias: 2").replace("type: worker", "type: woker"), made);
      await made.addScriptTag({content: ""}).catch(() => {});
      const axe = fs.readFileSync(path.join(HERE, "../node_modules/axe-core/axe.min.js"), "utf8");
      const found = await made.evaluate(`${axe}; axe.run(document, {resultTypes: ["violations"]})`);
      const bad = found.violations.filter((each) => ["serious", "critical"].includes(each.impact));
      assert.deepEqual(bad.map((each) => [each.id, each.nodes.slice(0, 2).map((node) => node.html.slice(0, 120))]), []);
      assert.ok(await made.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), "nothing is cut off");
      await own.close();
    });
  }

  test("a run can be cancelled", async () => {
    const before = await runs();
    await page.evaluate(() => { document.getElementById("cancel").click(); });
    await page.waitForFunction((old) => Number(document.body.dataset.run) > old, before, {timeout: 90_000});
    assert.match(await page.textContent("#status"), /error/);
  });

  test("two tabs do not disturb each other", async () => {
    const other = await opened(context);
    await write(LLAMA.replace("name: llama", "name: two"), other);
    await page.bringToFront();
    await write(LLAMA.replace("name: llama", "name: one"));
    assert.match(await page.locator("#panel").textContent(), /one-/);
    assert.match(await other.locator("#panel").textContent(), /two-/);
    await other.close();
  });

  test("works without a network after the first visit", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(async () => (await caches.keys()).length === 1 && (await (await caches.open((await caches.keys())[0])).keys()).length > 8, null, {timeout: 60_000});
    await server.close();
    const offline = await context.newPage();
    await offline.goto(server.address);
    await offline.waitForFunction(() => document.body.dataset.run, null, {timeout: 90_000});
    assert.match(await offline.textContent("#status"), /no errors/);
    await offline.close();
    assert.deepEqual(errors.filter((each) => !/Failed to load resource|net::ERR/.test(each)), []);
  });
});
