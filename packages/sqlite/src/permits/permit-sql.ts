import addFreed from "./sql/add-freed.sql";
import countPermits from "./sql/count-permits.sql";
import countQueue from "./sql/count-queue.sql";
import countRelease from "./sql/count-release.sql";
import enqueue from "./sql/enqueue.sql";
import forgetAllFreed from "./sql/forget-all-freed.sql";
import forgetFreed from "./sql/forget-freed.sql";
import forgetPermitKey from "./sql/forget-permit-key.sql";
import forgetPermitKeys from "./sql/forget-permit-keys.sql";
import forgetPermits from "./sql/forget-permits.sql";
import forgetPermitsAfter from "./sql/forget-permits-after.sql";
import forgetQueue from "./sql/forget-queue.sql";
import insertPermitKey from "./sql/insert-permit-key.sql";
import leaveQueue from "./sql/leave-queue.sql";
import listPermitKeys from "./sql/list-permit-keys.sql";
import putPermit from "./sql/put-permit.sql";
import selectLastPermit from "./sql/select-last-permit.sql";
import selectPermit from "./sql/select-permit.sql";
import selectPermitKey from "./sql/select-permit-key.sql";
import selectPlace from "./sql/select-place.sql";
import selectReleases from "./sql/select-releases.sql";
import shortenQueue from "./sql/shorten-queue.sql";
import takeFreed from "./sql/take-freed.sql";
import updatePermitKey from "./sql/update-permit-key.sql";

/** The statements of permits, by name. */
export const PERMIT_SQL = {
  addFreed,
  countQueue,
  countPermits,
  countRelease,
  forgetFreed,
  selectLastPermit,
  forgetPermitsAfter,
  forgetPermitKey,
  forgetQueue,
  forgetAllFreed,
  forgetPermitKeys,
  forgetPermits,
  insertPermitKey,
  leaveQueue,
  enqueue,
  listPermitKeys,
  putPermit,
  selectPermit,
  selectPermitKey,
  selectPlace,
  selectReleases,
  shortenQueue,
  takeFreed,
  updatePermitKey,
};
