// Finds and creates HTML elements, with the type `any` so that scripts may use every property.

/** Returns the element with this id, which must exist. @type {(id: string) => any} */
export const byId = (id) => document.getElementById(id);

/** Returns all elements that match a CSS selector. @type {(selector: string) => any[]} */
export const selectAll = (selector) => [...document.querySelectorAll(selector)];

/** Returns the target element of an event. @type {(event: Event) => any} */
export const targetOf = (event) => event.target;

/** Creates an HTML element that contains a text or a list of elements.
 * @type {(name: string, content?: any, className?: string) => any} */
export const element = (name, content = "", className = "") => {
  const made = document.createElement(name);
  made.append(...[content].flat());
  made.className = className;
  if (name === "button") made.setAttribute("type", "button");
  return made;
};

export const buttonItem = (label, pick) => {
  const button = element("button", label);
  button.addEventListener("click", pick);
  return element("li", button);
};
