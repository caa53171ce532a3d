internal import CMosquitto
internal import Glibc

/// The steps from a host name to an accepted connection. Only the name lookup blocks the thread, and the
/// system's resolver has its own timeout.
extension BrokerThread {
  func connect() {
    // The clean start flag is set. Unacknowledged messages are sent again by the caller, and no subscription
    // outlives the connection.
    if Self.isInitialized {
      client = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
    }
    guard let client else { return finish(BrokerFailure.noMemory) }
    if prepare(client) { begin(client) }
  }

  // MARK: - Setup

  /// Sets the options of the client.
  ///
  /// - Returns: `false` if an option failed. The thread is then finished.
  private func prepare(_ client: OpaquePointer) -> Bool {
    BrokerCallbacks.set(client)
    guard isDone(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)),
      isDone(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)),
      // The broker announces its own limit, and the library respects that.
      isDone(mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 65_535))
    else { return false }
    if let will = settings.will {
      let code = mosquitto_will_set_v5(
        client, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained, nil)
      guard isDone(code) else { return false }
    }
    let (user, password) = (settings.address.user, settings.password)
    if user != nil || password != nil {
      guard isDone(mosquitto_username_pw_set(client, user, password)) else { return false }
    }
    return settings.address.usesTLS ? secure(client) : true
  }

  private func secure(_ client: OpaquePointer) -> Bool {
    let file = settings.address.certificateAuthority
    let code =
      file.map { mosquitto_tls_set(client, $0, nil, nil, nil, nil) }
      ?? mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
    guard code == MOSQ_ERR_SUCCESS.rawValue else {
      finish(BrokerFailure.noAuthority)
      return false
    }
    // 1 is SSL_VERIFY_PEER. "tlsv1.2" allows TLS 1.2 and later.
    return isDone(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil))
  }

  private func isDone(_ code: Int32) -> Bool {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return true }
    finish(BrokerFailure.unprepared(code))
    return false
  }

  // MARK: - Connecting

  /// Starts to connect.
  ///
  /// - Parameter local: The local address, which selects the address family. `nil` selects the family that
  ///   the system prefers.
  private func begin(_ client: OpaquePointer, from local: String? = nil) {
    attempt = ConnectionAttempt(deadline: .now + settings.limits.connecting, others: attempt?.others)
    let address = settings.address
    let code = mosquitto_connect_bind_async(
      client, address.host, Int32(address.port), settings.keepalive, local)
    switch mosq_err_t(code) {
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: break
    // An address on this machine refuses immediately. There may be no address of the other family.
    case _ where local != nil, MOSQ_ERR_ERRNO: missed(by: nil, errno)
    default: check(code, errno)
    }
  }

  /// Handles the end of the TCP connection attempt.
  func didReach(_ socket: Int32) {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
    guard error == 0 else { return missed(by: Self.family(of: socket), error) }
    attempt?.stage = .greeting
    attempt?.deadline = .now + settings.limits.greeting
  }

  func giveUpIfLate(_ socket: Int32) {
    guard let attempt, attempt.isLate(at: .now) else { return }
    if attempt.stage == .connecting {
      missed(by: Self.family(of: socket), ETIMEDOUT)
    } else {
      finish(BrokerFailure.speechless(settings.address))
    }
  }

  /// Tries the next address family. libmosquitto tries only one address, and the broker may listen only on
  /// the other family.
  ///
  /// - Parameter family: The family of the address that does not respond, or `nil` if it is unknown.
  private func missed(by family: Int32?, _ errno: Int32) {
    var others = attempt?.others ?? ConnectionAttempt.Others(left: Self.ways(beside: family), obstacle: errno)
    guard let client, let next = others.left.popFirst() else {
      return check(MOSQ_ERR_ERRNO.rawValue, others.obstacle)
    }
    attempt?.others = others
    begin(client, from: next)
  }

  private static func ways(beside family: Int32?) -> ArraySlice<String> {
    switch family {
    case AF_INET6: ["0.0.0.0"]
    case AF_INET: ["::"]
    default: ["0.0.0.0", "::"]
    }
  }

  private static func family(of socket: Int32) -> Int32 {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return Int32(address.ss_family)
  }
}

/// The progress of a connection attempt.
struct ConnectionAttempt {
  enum Stage {
    /// No address has responded yet.
    case connecting
    /// The TCP connection exists, and the CONNACK packet is pending.
    case greeting
    case accepted
  }

  var stage = Stage.connecting
  /// The time at which the stage times out.
  var deadline: ContinuousClock.Instant
  /// The alternatives to try if this attempt fails.
  var others: Others?

  /// The address families that the system does not prefer.
  struct Others {
    /// Local addresses that select the family.
    var left: ArraySlice<String>
    /// The `errno` of the attempt with the preferred family.
    let obstacle: Int32
  }

  func isLate(at now: ContinuousClock.Instant) -> Bool { stage != .accepted && now >= deadline }
}
