// Keys, drafts and errors of the review app. Every page also works without this file.
"use strict";

(() => {
  const form = () => document.getElementById("label-form");
  const status = () => document.getElementById("status");

  function say(text, kind) {
    const place = status() || document.getElementById("main");
    const line = document.createElement("p");
    line.className = `notice ${kind}`;
    line.textContent = text;
    if (kind === "bad") line.setAttribute("role", "alert");
    place.querySelectorAll(":scope > .notice").forEach((old) => old.remove());
    place.prepend(line);
  }

  // Drafts: what is typed is kept in this browser until the server says that it is stored.

  const FIELDS = ["label", "cites", "note", "flag"];
  const drafts = (f) => `draft ${f.dataset.episode} ${f.dataset.attempt} `;

  // A server that was started again knows no names: a draft tells whose it is.
  function draftKey(f) {
    const own = drafts(f) + f.dataset.person;
    if (localStorage.getItem(own)) return own;
    const others = Object.keys(localStorage).filter((key) => key.startsWith(drafts(f)));
    const mine = (key) => !f.dataset.person || JSON.parse(localStorage.getItem(key)).person === f.dataset.person;
    return others.find(mine) || own;
  }

  function typed(f) {
    const data = new FormData(f);
    return FIELDS.map((name) => data.getAll(name));
  }

  function keepDraft() {
    const f = form();
    if (!f) return;
    const name = f.elements.namedItem("person");
    const person = f.dataset.person || (name ? name.value.trim() : "");
    localStorage.setItem(drafts(f) + f.dataset.person, JSON.stringify({ person, fields: typed(f) }));
  }

  function dropDraft() {
    const f = form();
    localStorage.removeItem(drafts(f) + f.dataset.person);
    localStorage.removeItem(draftKey(f));
  }

  function restoreDraft() {
    const f = form();
    const kept = f && JSON.parse(localStorage.getItem(draftKey(f)));
    if (!kept || JSON.stringify(kept.fields) === JSON.stringify(typed(f))) return;
    const name = f.elements.namedItem("person");
    if (name) name.value = kept.person;
    for (const element of f.elements) {
      const values = kept.fields[FIELDS.indexOf(element.name)];
      if (!values || element.type === "submit") continue;
      if (element.type === "checkbox" || element.type === "radio") element.checked = values.includes(element.value);
      else element.value = values[0] || "";
    }
    say("A draft of yours was restored; it is not saved yet.", "draft");
    showCites();
  }

  // Cited turns stand out, and are named beside the label.

  function showCites() {
    const boxes = [...document.querySelectorAll('input[name="cites"]')];
    boxes.forEach((box) => box.closest(".turn").classList.toggle("mine", box.checked));
    const cited = boxes.filter((box) => box.checked).map((box) => box.value);
    const place = document.getElementById("cited");
    if (place && boxes.length) {
      place.textContent = cited.length
        ? `Cites: turn${cited.length > 1 ? "s" : ""} ${cited.join(", ")}.`
        : "Cites: tick “cite” at the turns that it rests on.";
    }
  }

  // Keys.

  const turns = () => [...document.querySelectorAll(".turn[id]")];

  function turnInView() {
    const focused = document.activeElement && document.activeElement.closest(".turn[id]");
    return focused || null;
  }

  function goToTurn(step) {
    const all = turns();
    if (!all.length) return;
    const at = all.indexOf(turnInView());
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
    next.focus();
    next.scrollIntoView({ block: "start" });
  }

  function follow(id) {
    const link = document.getElementById(id);
    if (link) link.click();
  }

  function choose(number) {
    const choices = [...document.querySelectorAll('#label-form input[type="radio"][name="label"]')];
    if (!choices[number - 1]) return;
    choices[number - 1].checked = true;
    keepDraft();
  }

  function cite() {
    const turn = turnInView();
    const box = turn && turn.querySelector('input[name="cites"]');
    if (box) box.click();
  }

  function foldReasoning() {
    const all = [...document.querySelectorAll("details.reasoning")];
    const open = all.some((one) => !one.open);
    all.forEach((one) => { one.open = open; });
  }

  const KEYS = {
    n: () => follow("after"),
    ArrowRight: () => follow("after"),
    p: () => follow("before"),
    ArrowLeft: () => follow("before"),
    j: () => goToTurn(1),
    k: () => goToTurn(-1),
    c: cite,
    r: foldReasoning,
    s: () => follow("save"),
    "?": () => document.getElementById("keys").showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !form()) return;
    const at = event.target;
    const typing = at.matches('textarea, select, input:not([type="checkbox"]):not([type="radio"])');
    if (typing || document.querySelector("dialog[open]")) return;
    if (at.matches('input[type="radio"]') && event.key.startsWith("Arrow")) return;
    const act = /^[1-9]$/.test(event.key) ? () => choose(Number(event.key)) : KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  document.addEventListener("click", (event) => {
    if (event.target.id === "keys-open") document.getElementById("keys").showModal();
  });

  document.addEventListener("input", (event) => {
    if (event.target.form && event.target.form === form()) {
      keepDraft();
      showCites();
    }
  });

  // htmx.

  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (event.detail.xhr.getResponseHeader("x-saved")) dropDraft();
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target && event.detail.target.id === "panel") {
      showCites();
      document.body.dispatchEvent(new CustomEvent("saved"));
    }
  });

  document.addEventListener("htmx:responseError", (event) => {
    say(event.detail.xhr.responseText.slice(0, 500), "bad");
  });

  document.addEventListener("htmx:sendError", () => {
    say("The server does not answer. Nothing was lost: what you typed is kept in this browser.", "bad");
  });

  // The page of a list that came as a part loses no filter: the address is the form's.

  restoreDraft();
  showCites();
})();
