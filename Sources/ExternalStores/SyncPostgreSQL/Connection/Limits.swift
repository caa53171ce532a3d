/// For how long a server may take.
struct Limits: Sendable {
  /// To accept a connection and to say who may in.
  var connecting: Duration = .seconds(15)
  /// To answer a statement. The server is told (`statement_timeout`) and gives up by itself.
  var answering: Duration = .seconds(60)
  /// How much longer a server that is well may take to say so.
  var grace: Duration = .seconds(10)
  /// To get a lock that somebody else holds.
  var locking: Duration = .seconds(20)
}

extension Duration {
  var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
