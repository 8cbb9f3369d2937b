// Opens whatever is folded around the place that a link leads to.
function reveal() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let box = place && place.closest("details"); box; box = box.parentElement && box.parentElement.closest("details")) box.open = true;
  const isFolded = place && place.previousElementSibling && place.previousElementSibling.matches("summary");
  if (place) (isFolded ? place.parentElement : place).scrollIntoView();
}
addEventListener("hashchange", reveal);
addEventListener("DOMContentLoaded", reveal);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.getAttribute("href") === location.hash) reveal();
});
