// Search runs in a worker, which browsers do not start from a page that was opened from disk. There a frame
// without a picture does the same work.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      const waiting = [];
      this.postMessage = (data) => waiting.push(data);
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => {
        this.dispatchEvent(new MessageEvent("message", {data}));
      };
      const script = inside.document.createElement("script");
      script.src = String(url);
      script.addEventListener("load", () => {
        this.postMessage = (data) => inside.dispatchEvent(new MessageEvent("message", {data}));
        waiting.forEach(this.postMessage);
      });
      inside.document.body.append(script);
    }

    terminate() {
      this.frame.remove();
    }
  };
}
