"use strict";
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const main = document.getElementById("findings");
  const list = document.querySelector("nav ul");
  const all = [...main.querySelectorAll("article")];
  const search = document.getElementById("search");
  const shown = document.getElementById("shown");
  const texts = new Map();
  let groups = [];
  let grouped = "";

  // What is searched in a finding: its place, its rule and its words, not the code around it.
  function text(article) {
    if (!texts.has(article)) {
      const said = article.querySelector(".message").textContent;
      texts.set(article, (article.querySelector("h3").textContent + " " + said).toLowerCase());
    }
    return texts.get(article);
  }

  function element(name, properties, ...inside) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...inside);
    return made;
  }

  // Puts the findings into sections, one for each file or rule, in the order in which they were written.
  function group(by) {
    const members = new Map();
    for (const article of all) {
      const key = article.dataset[by];
      if (!members.has(key)) members.set(key, []);
      members.get(key).push(article);
    }
    const keys = [...members.keys()];
    if (by === "rule") keys.sort();
    groups = keys.map((key, index) => {
      const id = "group-" + (index + 1);
      const head = element("h2", { id, tabIndex: -1 }, key);
      const section = element("section", {}, head, ...members.get(key));
      section.setAttribute("aria-labelledby", id);
      const count = element("span", {});
      const row = element("li", {}, element("a", { href: "#" + id }, key), " ", count);
      return { section, row, count, articles: members.get(key) };
    });
    main.dataset.by = by;
    main.replaceChildren(...groups.map((one) => one.section));
    list.replaceChildren(...groups.map((one) => one.row));
  }

  function filter() {
    const off = { severity: new Set(), code: new Set(), fix: new Set(), verdict: new Set() };
    for (const box of form.querySelectorAll("input[type=checkbox]")) if (!box.checked) off[box.name].add(box.value);
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const one of groups) {
      let left = 0;
      for (const article of one.articles) {
        const data = article.dataset;
        article.hidden =
          Object.keys(off).some((name) => off[name].has(data[name])) ||
          !words.every((word) => text(article).includes(word));
        if (!article.hidden) left += 1;
      }
      one.section.hidden = one.row.hidden = left === 0;
      one.count.textContent = left;
      count += left;
    }
    shown.textContent = count + " of " + all.length + (all.length === 1 ? " finding" : " findings");
  }

  function update() {
    const by = form.elements.by.value;
    if (by !== grouped) group(by);
    grouped = by;
    filter();
  }

  function showAll() {
    form.reset();
    update();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  document.getElementById("all").addEventListener("click", showAll);

  function go(step) {
    const visible = [...main.querySelectorAll("article")].filter((one) => !one.hidden);
    const now = visible.indexOf(document.activeElement.closest("article"));
    const next = visible[now < 0 ? 0 : Math.min(Math.max(now + step, 0), visible.length - 1)];
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  // Letters are commands only among the findings: elsewhere somebody may be writing.
  main.tabIndex = -1;
  main.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "/") search.focus();
    else if (event.key === "f") {
      const fix = document.activeElement.closest("article")?.querySelector("details");
      if (!fix) return;
      fix.open = !fix.open;
    } else return;
    event.preventDefault();
  });

  // A link to a finding shows it, whatever is filtered; one to a rule opens its page.
  function arrive() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) showAll();
    const page = target.matches("details");
    if (page) target.open = true;
    (page ? target.firstElementChild : target).focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  }

  form.hidden = false;
  document.getElementById("more").open = matchMedia("(min-width: 30rem)").matches;
  update();
  addEventListener("hashchange", arrive);
  if (location.hash) arrive();
})();
