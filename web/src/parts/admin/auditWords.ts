/** What the staff did, and to what, in the words of the reader. */

import { dateText, numberText } from "../../format";
import { botName, formatName } from "../../labels";
import { localize, settings, tr } from "../../settings.svelte";
import { games } from "../../state/games.svelte";
import { vocabulary } from "../../vocabulary";
import { settingTitle } from "./siteSettingFields";

const ACTIONS: Record<string, string> = {
  "account activated": "激活账号",
  "account closed": "封禁账号",
  "account opened": "解封账号",
  announced: "发布通知",
  "assignment changed": "修改作业",
  "assignment deleted": "删除作业",
  "assignment made": "布置作业",
  "bot retired": "停用 AI",
  "remote tied": "关联远程仓库",
  "remote untied": "解除远程仓库",
  "challenge stopped": "中止挑战",
  "class changed": "修改班级",
  "class entered": "为班级报名",
  "class role changed": "更改班级身份",
  "codes reissued": "重发登录链接",
  "contest cancelled": "取消比赛",
  "contest changed": "修改比赛",
  "contest deleted": "删除比赛",
  "contest duplicated": "复制比赛",
  "contest frozen": "截止报名",
  "contest opened": "开放报名",
  "contest planned": "新建比赛",
  "contest published": "公布结果",
  "contest started": "开始比赛",
  "deadline changed": "更改个人截止时间",
  disqualified: "取消资格",
  "entrant removed": "移除参赛者",
  exported: "导出全部",
  "given code added": "添加下发代码",
  "given code deleted": "删除下发代码",
  "group made": "新建班级",
  "group member removed": "移出班级",
  "house bot entered": "添加自带 AI",
  "invitation renewed": "更换邀请码",
  "marks changed": "修改成绩",
  "match stopped": "中止一场对局",
  "seminar opened": "开始讲评",
  "seminar closed": "结束讲评",
  "password changed": "更改密码",
  "password reset": "重设密码",
  "place in a class claimed": "认领班级名额",
  "post deleted": "删除留言",
  "post hidden": "隐藏留言",
  "post shown": "恢复留言",
  regraded: "重评",
  rejudged: "重新评判",
  "reset code made": "生成重设码",
  "role changed": "更改身份",
  "roster read": "导入名单",
  "settings changed": "更改设置",
  "similar pair reopened": "重新查看相似代码",
  "similar pair read": "对比相似代码",
  "similar pair settled": "处理相似代码",
  "submission read": "查看提交的代码",
  "submissions exported": "导出提交",
  "team member removed": "移出队伍",
  "test stopped": "中止批量测试",
  "token made": "新建令牌",
  "token withdrawn": "撤销令牌",
};

/** English names only where the key is none. */
const DETAILS: Record<string, { en?: string; zh: string }> = {
  a: { en: "version", zh: "版本" },
  about: { en: "description", zh: "说明" },
  archived: { zh: "归档" },
  assignment: { zh: "作业" },
  b: { en: "and version", zh: "与版本" },
  bot: { zh: "AI" },
  bots: { zh: "AI 数" },
  bouts: { zh: "对局" },
  attempts_a_day: { en: "submissions a day", zh: "每天提交次数" },
  budget: { en: "thinking time", zh: "思考时间" },
  changed: { en: "updated", zh: "更新" },
  changes: { zh: "改动" },
  closes: { en: "entries close", zh: "报名截止" },
  codes: { en: "submissions", zh: "提交数" },
  comment: { zh: "评语" },
  contest: { zh: "比赛" },
  counted: { en: "submissions of which the best counts", zh: "取最好的最近提交数" },
  created: { en: "new accounts", zh: "新建账号" },
  days: { en: "days late", zh: "可逾期天数" },
  deadline: { zh: "截止时间" },
  delay: { en: "broadcast delay", zh: "直播延迟" },
  entrant: { zh: "参赛者" },
  film: { en: "bout", zh: "对局" },
  format: { zh: "赛制" },
  game: { zh: "游戏" },
  group: { en: "class", zh: "班级" },
  hidden: { en: "hidden levels", zh: "隐藏的级别" },
  hidden_until_published: { en: "hidden until published", zh: "公布前隐藏" },
  id: { en: "number", zh: "编号" },
  imports: { en: "allowed imports", zh: "允许的模块" },
  instead_of: { en: "instead of", zh: "代替" },
  invited: { zh: "邀请" },
  joined: { zh: "加入" },
  label: { zh: "用途" },
  ladder: { zh: "天梯" },
  manual: { en: "points", zh: "评分" },
  match: { zh: "场次" },
  name: { zh: "名称" },
  no_fault: { en: "points without a fault", zh: "无异常得分" },
  no_fault_share: { en: "in proportion", zh: "按比例" },
  now: { zh: "现为" },
  of: { en: "copy of", zh: "复制自" },
  openings: { zh: "开局" },
  opens: { zh: "开放" },
  override: { en: "total", zh: "改定总分" },
  pair: { en: "", zh: "" },
  parts: { en: "judged parts", zh: "教师评分项" },
  people: { zh: "人数" },
  percent_a_day: { en: "percent for each day late", zh: "每逾期一天扣（%）" },
  place: { zh: "位置" },
  published: { en: "shown to the class", zh: "对班级可见" },
  publishes: { en: "results published", zh: "公布结果" },
  reason: { zh: "原因" },
  reveals: { en: "hidden rivals shown", zh: "公布隐藏对手" },
  rivals: { zh: "对手" },
  round_to: { en: "rounded to", zh: "舍入到" },
  scopes: { zh: "权限" },
  starts: { zh: "开始" },
  team: { zh: "队伍" },
  text: { zh: "内容" },
  title: { zh: "标题" },
  to: { zh: "发给" },
  tool: { en: "for", zh: "用于" },
  url: { en: "address", zh: "地址" },
  user: { zh: "用户" },
  was: { zh: "原为" },
  what: { zh: "内容" },
  why: { zh: "原因" },
};

const PLACES: Record<string, { en: string; zh: string }> = {
  bout: { en: "bout", zh: "对局" },
  contest: { en: "contest", zh: "比赛" },
  group: { en: "class", zh: "班级" },
};

const TIMES = new Set(["deadline", "opens", "closes", "starts", "publishes", "reveals"]);

/** What tokens allow, in a word each. */
const SCOPES: Record<string, { en: string; zh: string }> = {
  read: { en: "read", zh: "读取" },
  upload: { en: "upload", zh: "上传" },
  play: { en: "play", zh: "对局" },
  admin: { en: "admin", zh: "管理" },
};

export function actionName(action: string): string {
  return tr(action, ACTIONS[action] ?? action);
}

/** The details of an action; those that say nothing, such as an empty reason, are left out. */
export function detailText(detail: Record<string, unknown>): string {
  return Object.entries(detail)
    .filter(([key]) => !isNumbered(key, detail))
    .map(([key, value]) =>
      key === "changes"
        ? ["", changesText(value as Changes)]
        : [detailName(key), valueText(key, value)],
    )
    .filter(([, said]) => said)
    .map((pair) => pair.join(" ").trim())
    .join(tr(", ", "，"));
}

/** Whether a detail is the number of something whose name stands beside it. */
function isNumbered(key: string, detail: Record<string, unknown>): boolean {
  if (["id", "assignment", "contest"].includes(key)) return !!detail.title;
  return (key === "a" || key === "b") && !!detail.pair;
}

/** Old and new values by the paths of what has changed. */
type Changes = Record<string, [unknown, unknown]>;

function changesText(changes: Changes): string {
  return Object.entries(changes)
    .map(([path, [was, now]]) => {
      const key = path === FORMAT ? "format" : path.split(".").at(-1)!;
      const sides = [was, now].map((value) => changedText(key, value));
      return `${changeName(path)} ${sides.join(" → ")}`;
    })
    .join(tr("; ", "；"));
}

/** Where the settings of a contest name its format. */
const FORMAT = "format.name";

/** Parts that a teacher judges have names of their own; settings have those of their forms. */
function changeName(path: string): string {
  const [first, ...rest] = path.split(".");
  if (first === "manual") return rest.join(".");
  const last = path === FORMAT ? first : (rest.at(-1) ?? first);
  if (settingTitle(first)) return [settingTitle(first), ...rest].join(" ");
  const words = DETAILS[last] ?? vocabulary.settings[last]?.title;
  return words ? tr(words.en ?? last, words.zh) : last.replaceAll("_", " ");
}

function changedText(key: string, value: unknown): string {
  const named = localize(vocabulary.settings[key]?.choices[String(value)]);
  return named || valueText(key, value) || "–";
}

/** Changed settings go by their names in the form. */
function detailName(key: string): string {
  const known = DETAILS[key];
  return settingTitle(key) || tr(known?.en ?? key.replaceAll("_", " "), known?.zh ?? key);
}

function valueText(key: string, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? tr("yes", "是") : tr("no", "否");
  if (Array.isArray(value)) return value.map((one) => valueText(key, one)).join(tr(" ", "、"));
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, one]) => `${name} ${valueText("", one)}`)
      .join(tr("; ", "；"));
  return wordText(key, numberText(value));
}

function wordText(key: string, word: string): string {
  if (key === "was" || key === "now")
    return localize(vocabulary.roles[word] ?? vocabulary.group_roles[word]) || word;
  if (TIMES.has(key)) return dateText(word, settings.language);
  if (key === "game") return games.title(word);
  if (key === "place") return localize(PLACES[word]) || word;
  if (key === "scopes") return localize(SCOPES[word]) || word;
  if (key === "to" && word === "all") return tr("everybody", "所有人");
  if (key === "film") return word.replace(/^bout-(?=\d+$)/, "");
  if (key === "format") return formatName(word);
  if (key === "bot" || key === "entrant") return botName(word);
  if (key === "rivals") return word.replace(RIVAL, rivalText);
  return word.replace(/[.;。；]+$/, "");
}

/** How the server notes a rival: `2 greedy: 10 (0–100 %)`. */
const RIVAL = /^(\d+) (.+): (\S+) \((.+)\)$/;

function rivalText(
  _all: string,
  level: string,
  bot: string,
  points: string,
  share: string,
): string {
  return tr(
    `level ${level} ${botName(bot)}: ${points} points (${share})`,
    `第 ${level} 级 ${botName(bot)}：${points} 分（${share}）`,
  );
}
