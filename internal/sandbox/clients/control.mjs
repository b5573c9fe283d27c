// The sandbox's control API and its webhooks, shared by the client tests.

import { createServer } from 'node:http';

export const origin = process.env.SANDBOX_URL;

/** Posts an action of the control API and fails when it is refused. */
export async function control(path, fields) {
	const answer = await fetch(`${origin}/control/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(fields),
	});
	if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
	return answer.json();
}

/** Arms a fault. */
export const fault = (provider, operation, code, rest = {}) =>
	control('faults', { provider, operation, code, ...rest });

/** How often something really happened for a subject. */
export async function effects(provider, operation, subject) {
	const list = await (await fetch(`${origin}/control/effects?subject=${encodeURIComponent(subject)}`)).json();
	return list
		.filter((effect) => effect.provider === provider && effect.operation === operation)
		.reduce((sum, effect) => sum + effect.count, 0);
}

/** Listens where the sandbox sends webhooks and keeps what comes. */
export async function receiveHooks() {
	const { hostname, port, pathname } = new URL(process.env.HOOK_URL);
	const notices = [];
	const server = createServer(async (request, response) => {
		let body = '';
		for await (const chunk of request) body += chunk;
		notices.push({ path: request.url.replace(pathname, ''), body, headers: request.headers });
		response.end();
	});
	await new Promise((resolve) => server.listen(port, hostname, resolve));
	const close = () => {
		server.close();
		server.closeAllConnections();
	};
	return { notices, close };
}

/** Waits until check answers something true. */
export async function until(check) {
	for (const end = Date.now() + 10_000; Date.now() < end; ) {
		const value = await check();
		if (value) return value;
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error('waited too long');
}
