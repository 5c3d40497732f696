// The same in Node, with ioredis or else redis, whichever is installed: SCAN for expiry halves, one MGET a page.
//   node node_pipeline.js PORT
const port = Number(process.argv[2]);

function connect() {
  try {
    const Redis = require("ioredis");
    const client = new Redis(port, "127.0.0.1");
    const scan = async (cursor) => client.scan(cursor, "MATCH", "*:exp", "COUNT", 1000);
    return { scan, mget: (keys) => client.mget(keys), quit: () => client.quit() };
  } catch (missing) {
    const client = require("redis").createClient({ socket: { port, host: "127.0.0.1" } });
    const ready = client.connect();
    const scan = async (cursor) => {
      await ready;
      return client.sendCommand(["SCAN", String(cursor), "MATCH", "*:exp", "COUNT", "1000"]);
    };
    return { scan, mget: (keys) => client.sendCommand(["MGET", ...keys]), quit: () => client.quit() };
  }
}

async function main() {
  const client = connect();
  let cursor = "0";
  do {
    const [next, halves] = await client.scan(cursor);
    cursor = String(next);
    if (halves.length === 0) continue;
    const keys = halves.flatMap((half) => [half.slice(0, -4), half]);
    const values = await client.mget(keys);
    let lines = "";
    for (let i = 0; i < keys.length; i += 2) lines += `${keys[i]} ${values[i]} ${values[i + 1]}\n`;
    process.stdout.write(lines);
  } while (cursor !== "0");
  await client.quit();
}

main();
