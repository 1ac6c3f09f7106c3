// The elements of a page. The type checker takes them for elements of any kind.

/** The element of this id, which the page has. @type {(id: string) => any} */
export const at = (id) => document.getElementById(id);

/** The elements that a selector names. @type {(selector: string) => any[]} */
export const each = (selector) => [...document.querySelectorAll(selector)];

/** The element that an event is about. @type {(event: Event) => any} */
export const targetOf = (event) => event.target;

/** A new element with a class, of a text or of other elements. @type {(name: string, content?: any, className?: string) => any} */
export const element = (name, content = "", className = "") => {
  const made = document.createElement(name);
  made.append(...[content].flat());
  made.className = className;
  if (name === "button") made.setAttribute("type", "button");
  return made;
};

/** An item of a list with a button in it, which calls `pick`. */
export const choice = (label, pick) => {
  const button = element("button", label);
  button.addEventListener("click", pick);
  return element("li", button);
};
