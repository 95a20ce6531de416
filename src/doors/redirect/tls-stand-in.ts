import { Socket, type TcpSocketConnectOpts } from "node:net";
import type { ConnectionOptions } from "node:tls";

/**
 * A plain connection with the members and events of a `TLSSocket` that HTTP clients use. The emulator
 * speaks no TLS, and a handshake on the same machine would prove nothing.
 */
export class TlsStandIn extends Socket {
  readonly encrypted = true;
  authorized = false;
  readonly authorizationError = null;
  readonly alpnProtocol: string | false;
  readonly servername: string;
  secureConnecting = true;

  constructor(host: string, options: ConnectionOptions) {
    // These are the options of a `TLSSocket` that a plain socket has too.
    super(options as object);
    this.servername = host;
    this.alpnProtocol = options.ALPNProtocols === undefined ? false : "http/1.1";
    if (options.timeout) this.setTimeout(options.timeout);
  }

  /** Connects to the emulator, and then emits `secureConnect`, as after a handshake. */
  open(target: TcpSocketConnectOpts, callback?: () => void): this {
    if (callback) this.once("secureConnect", callback);
    this.once("connect", () => {
      // Some clients wait for `secureConnect` only after `connect`.
      process.nextTick(() => {
        if (this.destroyed) return;
        this.secureConnecting = false;
        this.authorized = true;
        this.emit("secure");
        this.emit("secureConnect");
      });
    });
    return this.connect(target);
  }

  getPeerCertificate() {
    const { servername: host } = this;
    return { subject: { CN: host }, issuer: { CN: "latchkey" }, subjectaltname: `DNS:${host}` };
  }

  getCertificate() {
    return {};
  }

  getCipher() {
    return {
      name: "TLS_AES_128_GCM_SHA256",
      standardName: "TLS_AES_128_GCM_SHA256",
      version: "TLSv1.3",
    };
  }

  getProtocol() {
    return "TLSv1.3";
  }

  getSession() {}

  getEphemeralKeyInfo() {
    return {};
  }

  isSessionReused() {
    return false;
  }

  setServername() {}

  setSession() {}

  setMaxSendFragment() {
    return true;
  }

  renegotiate() {
    return false;
  }

  enableTrace() {}
}
