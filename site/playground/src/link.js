// The text and the choices in the fragment of the address: `#1.` and deflated JSON in the alphabet of URLs.
const VERSION = "1.";

export async function encoded(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return VERSION + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// null where the fragment is none of ours; an Error where it is damaged or larger than a graph can be.
export async function decoded(fragment) {
  if (!fragment.startsWith(VERSION)) return null;
  const text = atob(fragment.slice(VERSION.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    size += value.length;
    if (size > 4_000_000) throw new Error("the link holds more than 4 MB");
    parts.push(value);
  }
  const state = JSON.parse(await new Blob(parts).text());
  const known = {};
  for (const name of ["text", "before", "cluster", "release", "target", "tab", "from"]) {
    if (typeof state[name] === "string") known[name] = state[name];
  }
  return known;
}
