// The worker that runs dynamoc. `ask` gives the answers to several questions of one run; `cancel` starts a new worker.
export class Engine {
  constructor(handlers) {
    this.handlers = handlers;
    this.waiting = new Map();
    this.next = 1;
    this.start();
  }

  start() {
    this.ready = false;
    this.worker = new Worker("worker.js", {type: "module"});
    this.worker.onmessage = ({data}) => this.take(data);
    this.worker.onerror = (event) => this.handlers.failed(event.message || "The worker cannot start.");
  }

  take(data) {
    if (data.progress !== undefined) return this.handlers.progress(data.what, data.progress);
    if (data.failed) return this.handlers.failed(data.failed);
    if (data.ready) {
      this.ready = true;
      return this.handlers.ready();
    }
    const waiting = this.waiting.get(data.id);
    this.waiting.delete(data.id);
    if (waiting) waiting.resolve({answers: data.answers, ms: data.ms});
    if (!this.waiting.size) this.handlers.idle();
  }

  ask(...questions) {
    const id = this.next++;
    this.handlers.busy();
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.worker.postMessage({id, questions});
    });
  }

  cancel() {
    this.worker.terminate();
    for (const {reject} of this.waiting.values()) reject(new Cancelled());
    this.waiting.clear();
    this.start();
  }
}

export class Cancelled extends Error {}
