/** A bout in a file of its own: the film lies in the page. */

import { mount } from "svelte";
import StandaloneApp from "./StandaloneApp.svelte";
import type { FilmInfo } from "./api/generated";
import "./app.css";

const film = JSON.parse(document.getElementById("film")!.textContent!) as FilmInfo;
mount(StandaloneApp, { target: document.getElementById("app")!, props: { film } });
