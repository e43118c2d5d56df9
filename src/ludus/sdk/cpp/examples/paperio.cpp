// Paper.io: takes land in rectangles, and goes home before it can be cut off.
// 纸带圈地：一块块地圈矩形，在被截断之前回家。
//
//     ludus play paperio paperio.cpp random --watch

#include <algorithm>
#include <ludus.hpp>

constexpr int SIDE = 12;  // of a rectangle

struct Cell {
    int x = 0, y = 0;
};

struct Paperio : ludus::Bot {
    std::string mine, theirs;
    int width = 102, height = 101;
    std::vector<char> land, band;  // whether a cell is ours
    Cell me, rival;
    int heading = 0;  // 0 east, 1 south, 2 west, 3 north
    int walked = 0;   // steps since the last turn, while outside

    Paperio() { wants_view = true; }

    void start(const ludus::Bout& bout) override {
        mine = bout.seat == 0 ? "1" : "2";
        theirs = bout.seat == 0 ? "2" : "1";
        const auto& k = bout.options["k"];
        const auto& h = bout.options["h"];
        width = k.is_null() ? 102 : 2 * static_cast<int>(k.whole());
        height = h.is_null() ? 101 : static_cast<int>(h.whole());
        walked = 0;
    }

    std::string move(const ludus::Turn& turn) override {
        look(turn.view["layers"]);
        walked = ours(land, me) ? 0 : walked + 1;
        std::vector<std::string> safe;
        for (const char* move : {"S", "L", "R"}) {
            if (is_safe(ahead(move))) safe.push_back(move);
        }
        if (safe.empty()) return "S";
        std::string chosen = safe.front();
        if (in_danger()) {
            chosen = *std::min_element(safe.begin(), safe.end(), [this](auto& one, auto& other) {
                return way_home(ahead(one)) < way_home(ahead(other));
            });
        } else if (walked >= SIDE && is_safe(ahead("L"))) {
            chosen = "L";
        }
        if (chosen != "S") walked = 0;
        return chosen;
    }

    void look(const ludus::Json& layers) {
        const auto& lands = layers["land"].list();
        const auto& bands = layers["bands"].list();
        const auto& heads = layers["heads"].list();
        land.assign(lands.size(), 0);
        band.assign(lands.size(), 0);
        for (std::size_t cell = 0; cell < lands.size(); ++cell) {
            land[cell] = lands[cell].text() == mine;
            band[cell] = bands[cell].text() == mine;
            const std::string& head = heads[cell].text();  // "1→"
            Cell place{static_cast<int>(cell) % width, static_cast<int>(cell) / width};
            if (head.compare(0, 1, theirs) == 0) rival = place;
            if (head.compare(0, 1, mine) == 0) {
                me = place;
                for (int i = 0; i < 4; ++i) {
                    if (head.substr(1) == (const char*[]){"→", "↓", "←", "↑"}[i]) heading = i;
                }
            }
        }
    }

    Cell ahead(const std::string& move) const {
        int turned = (heading + (move == "R" ? 1 : move == "L" ? 3 : 0)) % 4;
        static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
        return {me.x + dx[turned], me.y + dy[turned]};
    }

    bool inside(Cell cell) const {
        return cell.x >= 0 && cell.x < width && cell.y >= 0 && cell.y < height;
    }
    bool ours(const std::vector<char>& layer, Cell cell) const {
        return inside(cell) && layer[cell.y * width + cell.x];
    }
    // On the field and not on our own band.
    bool is_safe(Cell cell) const { return inside(cell) && !ours(band, cell); }

    // Steps from a cell to the nearest one of ours, as the crow flies.
    int nearest(const std::vector<char>& layer, Cell cell) const {
        int least = width + height;
        for (int i = 0; i < width * height; ++i) {
            if (layer[i]) {
                least = std::min(least, std::abs(i % width - cell.x) + std::abs(i / width - cell.y));
            }
        }
        return least;
    }
    int way_home(Cell cell) const { return nearest(land, cell); }

    // Whether the rival is nearly as near to our band as we are to our land.
    bool in_danger() const {
        return !ours(land, me) && nearest(band, rival) <= way_home(me) + 4;
    }
};

int main() {
    Paperio bot;
    return ludus::run(bot);
}
