// A page in a file of its own: its data stand in a script element.

const page = new Page(document, document.documentElement, readData(JSON.parse(document.getElementById("data").textContent)));
window.nelayout = page; // for the console of the browser
page.start();
