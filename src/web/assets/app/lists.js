// Marks the button of the current move or game in a list, and scrolls the list to this button.

/** Scrolls the list `box` to its element `part`, or to its start if `part` is undefined. */
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

/** Marks only this button of the list `box` as current, or no button if `button` is undefined. */
export const markCurrent = (box, button) => {
  for (const other of box.querySelectorAll("[aria-current]")) if (other !== button) other.removeAttribute("aria-current");
  button?.setAttribute("aria-current", "step");
};
