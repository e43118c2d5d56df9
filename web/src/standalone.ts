/** A bout in a file of its own: the film lies in the page. */

import { mount } from "svelte";
import Alone from "./Alone.svelte";
import type { Film } from "./film/types";
import "./app.css";

const film = JSON.parse(document.getElementById("film")!.textContent!) as Film;
mount(Alone, { target: document.getElementById("app")!, props: { film } });
