// Lists of buttons: which is the current one, and what is in sight.

/** Scrolls `box` to a part of it, or to its start: scrollIntoView would move the page under a phone's thumb. */
export const keepInSight = (box, part) => {
  if (!part) {
    box.scrollTo(0, 0);
    return;
  }
  const [outer, inner] = [box.getBoundingClientRect(), part.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top;
  else if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom;
  if (inner.left < outer.left) box.scrollLeft -= outer.left - inner.left;
  else if (inner.right > outer.right) box.scrollLeft += inner.right - outer.right;
};

/** Marks a button as the current one of a list, or none. */
export const markCurrent = (box, button) => {
  for (const other of box.querySelectorAll("[aria-current]")) if (other !== button) other.removeAttribute("aria-current");
  button?.setAttribute("aria-current", "step");
};
