// Gemini CLI's own encrypted store: `write JSON` puts a sign-in into it, `read` prints what is in it.
const place = new URL('./node_modules/@google/gemini-cli-core/dist/src/services/fileKeychain.js', import.meta.url);
const { FileKeychain } = await import(place);
const keychain = new FileKeychain();
const [verb, record] = process.argv.slice(2);
if (verb === 'write') {
  await keychain.setPassword('gemini-cli-oauth', 'main-account', record);
  await keychain.setPassword('another-service', 'somebody', 'something');
}
const others = await keychain.getPassword('another-service', 'somebody');
const signIn = await keychain.getPassword('gemini-cli-oauth', 'main-account');
console.log(JSON.stringify({ others, signIn }));
