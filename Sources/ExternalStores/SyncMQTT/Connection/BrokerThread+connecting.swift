internal import CMosquitto
internal import Glibc

/// Establishes a connection, from the name lookup to the CONNACK packet. Only the name lookup blocks the
/// thread; the system's resolver has its own timeout.
extension BrokerThread {
  func connect() {
    // The clean start flag (`true`) makes the broker discard an earlier session. The caller resends
    // unacknowledged messages, so no session is needed.
    if Self.isInitialized {
      client = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(self).toOpaque())
    }
    guard let client else { return finish(BrokerFailure.noMemory) }
    if prepare(client) { begin(client) }
  }

  // MARK: - Setup

  /// Sets the options of the client.
  ///
  /// - Returns: `false` if an option could not be set. In that case, the thread has ended with an error.
  private func prepare(_ client: OpaquePointer) -> Bool {
    BrokerCallbacks.set(client)
    guard isDone(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)),
      isDone(mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)),
      // Allow the maximum. If the broker announces a lower limit, libmosquitto respects it.
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
    // 1 is SSL_VERIFY_PEER. "tlsv1.2" is the minimum version of TLS.
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
  /// - Parameter local: A local address, which determines whether IPv4 or IPv6 is used. With `nil`, the
  ///   system chooses.
  private func begin(_ client: OpaquePointer, from local: String? = nil) {
    attempt = ConnectionAttempt(deadline: .now + settings.limits.connecting, others: attempt?.others)
    let address = settings.address
    let code = mosquitto_connect_bind_async(
      client, address.host, Int32(address.port), settings.keepalive, local)
    switch mosq_err_t(code) {
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_PENDING: break
    // The connection failed immediately: a port on this machine is closed, or there is no address of the
    // other IP version.
    case _ where local != nil, MOSQ_ERR_ERRNO: missed(by: nil, errno)
    default: check(code, errno)
    }
  }

  /// Handles the success or failure of the TCP connection.
  func didReach(_ socket: Int32) {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
    // libmosquitto begins TLS before the connection exists. Its write fails then, and takes the error. A broker
    // that has closed the connection already looks the same, so only a name, which may have another address,
    // counts as refused.
    if error == 0, !Self.hasPeer(socket), !Self.isNumeric(settings.address.host) { error = ECONNREFUSED }
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

  /// Tries the other IP version. libmosquitto tries only one address of a host, and the broker may listen
  /// only on the other one.
  ///
  /// - Parameter family: The address family (IPv4 or IPv6) that failed, or `nil` if it is unknown.
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

  private static func hasPeer(_ socket: Int32) -> Bool {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
    }
  }

  private static func isNumeric(_ host: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
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
    /// Waiting for the TCP connection.
    case connecting
    /// Waiting for the CONNACK packet, over the TCP connection.
    case greeting
    case accepted
  }

  var stage = Stage.connecting
  /// The time at which the stage times out.
  var deadline: ContinuousClock.Instant
  /// The IP versions that are left to try; `nil` until an attempt has failed.
  var others: Others?

  /// The IP versions that are left to try: all that the system did not choose.
  struct Others {
    /// Local addresses to connect from. Each of them determines the IP version.
    var left: ArraySlice<String>
    /// The `errno` of the first attempt, whose IP version the system chose.
    let obstacle: Int32
  }

  func isLate(at now: ContinuousClock.Instant) -> Bool { stage != .accepted && now >= deadline }
}
