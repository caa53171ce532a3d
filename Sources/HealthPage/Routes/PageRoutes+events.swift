import HTTPTypes
import HummingbirdCore

extension PageRoutes {
  /// What changes, as it changes.
  mutating func addEvents(
    _ monitors: PageMonitors, _ shelf: StoreShelf, _ permits: StreamPermits, _ rhythm: EventRhythm,
    _ sessions: PageSessions
  ) {
    reads["/api/events"] = { question in
      let session = question.session.id
      let stream = EventStream(
        store: try shelf.store(for: question), person: shelf.person(for: question), monitors: monitors,
        permit: try permits.permit(session), rhythm: rhythm,
        heard: { sessions.use(session) }, hangUp: question.wire.hangUp)
      let body = question.request.body
      var answer = PageAnswer("text/event-stream") { writer in
        // A browser that goes away says nothing: its end of the connection closes.
        try await body.consumeWithCancellationOnInboundClose { _ in try await stream.run(&writer) }
        try await writer.finish(nil)
      }
      answer.fields[.connection] = "close"
      return answer
    }
  }
}
