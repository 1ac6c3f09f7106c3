// The elements of a page. The type checker takes them for elements of any kind.

/** The element of this id, which the page has. @type {(id: string) => any} */
export const at = (id) => document.getElementById(id);

/** The elements that a selector names. @type {(selector: string) => any[]} */
export const each = (selector) => [...document.querySelectorAll(selector)];

/** The element that an event is about. @type {(event: Event) => any} */
export const targetOf = (event) => event.target;
