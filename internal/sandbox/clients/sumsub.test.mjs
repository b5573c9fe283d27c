// sumsub-node-sdk, unmodified, against the Sumsub simulator: it signs every
// request by itself.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { sdk } from 'sumsub-node-sdk';
import { control, effects, fault, origin } from './control.mjs';

const connect = (secretKey) => sdk({ baseURL: origin, appToken: process.env.SUMSUB_APP_TOKEN, secretKey });
const sumsub = connect(process.env.SUMSUB_SECRET);
const refused = (status) => (error) => (error.response?.status ?? error.status ?? error.code) === status;

test('an applicant is made once, judged, reset, and moved to another level', async () => {
	const user = randomUUID();
	await assert.rejects(sumsub.getApplicantByExternalUserId(user), refused(404));
	const { data: made } = await sumsub.createApplicant(user, 'basic-kyc-level', { email: 'ada@example.com' });
	assert.match(made.id, /^[0-9a-z]{24}$/);
	await assert.rejects(sumsub.createApplicant(user, 'basic-kyc-level'), refused(409));
	assert.equal((await sumsub.getApplicantByExternalUserId(user)).data.id, made.id);
	assert.equal((await sumsub.getApplicant(made.id)).data.externalUserId, user);
	const status = async () => (await sumsub.getReviewStatus(made.id)).data;
	assert.deepEqual([(await status()).reviewStatus, (await status()).levelName], ['init', 'basic-kyc-level']);

	await control('sumsub/decide', { user, outcome: 'wait' });
	await assert.rejects(sumsub.resetApplicant(made.id), refused(400), 'nobody is reset while being checked');
	await assert.rejects(sumsub.changeApplicantLevel(made.id, 'enhanced-kyc-level'), refused(400));
	await control('sumsub/decide', { user, outcome: 'retry' });
	const judged = await status();
	assert.deepEqual([judged.reviewStatus, judged.reviewResult.reviewAnswer, judged.reviewResult.reviewRejectType], ['completed', 'RED', 'RETRY']);
	await sumsub.resetApplicant(made.id);
	assert.equal((await status()).reviewStatus, 'init');
	assert.equal(await effects('sumsub', 'reset', user), 1);

	await control('sumsub/decide', { user, outcome: 'approve' });
	await sumsub.changeApplicantLevel(made.id, 'enhanced-kyc-level');
	assert.deepEqual([(await status()).reviewStatus, (await status()).levelName], ['init', 'enhanced-kyc-level']);
	await assert.rejects(sumsub.changeApplicantLevel(made.id, 'no-such-level'), refused(404));
});

test('tokens are for a level that exists; a wrong secret is refused; faults strike once', async () => {
	const user = randomUUID();
	const { data } = await sumsub.generateAccessToken(user, 'enhanced-kyc-level', 600);
	assert.match(data.token, /^_act-/);
	assert.equal(data.userId, user);
	await assert.rejects(sumsub.generateAccessToken(user, 'Basic-KYC-Level'), refused(404));
	await assert.rejects(connect('wrong').generateAccessToken(user, 'basic-kyc-level'), refused(401));
	await fault('sumsub', 'token', '429', { match: user });
	await assert.rejects(sumsub.generateAccessToken(user, 'basic-kyc-level'), refused(429));
	assert.ok((await sumsub.generateAccessToken(user, 'basic-kyc-level')).data.token);
});
