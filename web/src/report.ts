/** The report of a contest in a file of its own: its data lies in the page. */

import { mount } from "svelte";
import ReportApp from "./ReportApp.svelte";
import type { ContestReport } from "./api/generated";
import { settings } from "./settings.svelte";
import "./app.css";

const report = JSON.parse(document.getElementById("report")!.textContent!) as ContestReport;
settings.openIn(report.language);
mount(ReportApp, { target: document.getElementById("app")!, props: { report } });
