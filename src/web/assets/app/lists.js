// Marks the current button of a list, and keeps it visible.

/** Scrolls `box` (but not the page) so that its element `part`, or else its start, is visible. */
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

/** Marks a button as the current one of the list `box`. Without a button, none is marked. */
export const markCurrent = (box, button) => {
  for (const other of box.querySelectorAll("[aria-current]")) if (other !== button) other.removeAttribute("aria-current");
  button?.setAttribute("aria-current", "step");
};
