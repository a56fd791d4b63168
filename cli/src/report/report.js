"use strict";
const form = document.getElementById("filter");
const pairs = Array.from(document.querySelectorAll("#pairs article"));
const texts = pairs.map((pair) => pair.textContent.toLowerCase());
const shown = document.getElementById("shown");
function filter() {
  const wanted = form.elements.search.value.toLowerCase().split(/\s+/).filter((word) => word);
  const kind = form.elements.kind.value;
  const least = Number(form.elements.least.value || 0);
  const most = Number(form.elements.most.value || 1);
  let count = 0;
  pairs.forEach((pair, at) => {
    const similarity = Number(pair.dataset.similarity);
    const fits = (!kind || pair.dataset.kind === kind) && similarity >= least && similarity <= most &&
      wanted.every((word) => texts[at].includes(word));
    pair.hidden = !fits;
    count += fits;
  });
  shown.textContent = `${count} of ${pairs.length} pairs are shown.`;
}
if (form) {
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}
document.body.dataset.ready = "true";
