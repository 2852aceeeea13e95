// What scrolls sideways can be reached by the keyboard.
addEventListener("load", () => {
  const reach = () => {
    for (const one of document.querySelectorAll(".md-typeset pre > code, .md-typeset__scrollwrap")) one.tabIndex = 0;
  };
  reach();
  new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
});
