internal import CMosquitto
internal import Glibc

/// From a host's name to a broker that lets this client in. Nothing here waits but for the name, which the
/// system's resolver gives up by itself.
extension BrokerThread {
  func connect() {
    // A clean start: what this client publishes is sent again by whoever lost its answer, and it has no
    // subscription that outlives the connection.
    if Self.isInitialized {
      client = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
    }
    guard let client else { return finish(BrokerFailure.noMemory) }
    if prepare(client) { begin(client) }
  }

  // MARK: - Setting up

  /// - Returns: false where the client could not be set up, which has ended the thread.
  private func prepare(_ client: OpaquePointer) -> Bool {
    BrokerCallbacks.set(client)
    guard isDone(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)),
      isDone(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)),
      // What the broker takes at a time it says itself, and the library keeps to it.
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
    // SSL_VERIFY_PEER; 1.2 and later.
    return isDone(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil))
  }

  private func isDone(_ code: Int32) -> Bool {
    guard code != MOSQ_ERR_SUCCESS.rawValue else { return true }
    finish(BrokerFailure.unprepared(code))
    return false
  }

  // MARK: - Getting there

  /// - Parameter local: Where this end is to be, which says by which family of addresses to go; `nil` for the
  ///   one that the system prefers.
  private func begin(_ client: OpaquePointer, from local: String? = nil) {
    attempt = ConnectionAttempt(deadline: .now + settings.limits.connecting, others: attempt?.others)
    let address = settings.address
    let code = mosquitto_connect_bind_async(
      client, address.host, Int32(address.port), settings.keepalive, local)
    switch mosq_err_t(code) {
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: break
    // What is on this machine refuses at once; of another family there may be no address.
    case _ where local != nil, MOSQ_ERR_ERRNO: missed(by: nil, errno)
    default: check(code, errno)
    }
  }

  /// The system has found out whether the address answers.
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

  /// The library tries one address alone: a name may have some of the other family, where the broker is.
  ///
  /// - Parameter family: Of the address that does not answer; `nil` where there is no telling.
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
