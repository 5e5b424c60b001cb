// The theme's list of versions has a label that does not hold its text.
new MutationObserver((_, observer) => {
  const shown = document.querySelector(".md-version__current");
  if (!shown) return;
  shown.setAttribute("aria-label", `Version ${shown.textContent.trim()}: select another`);
  observer.disconnect();
}).observe(document.documentElement, {childList: true, subtree: true});
